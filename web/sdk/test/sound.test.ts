import { describe, expect, it } from "vitest";
import { decodeRecording } from "../src/decode/decode";
import type { AudioInfo } from "../src/messages";
import { Recording } from "../src/recording";
import { SpanMap } from "../src/spans";
import { Trimmer } from "../src/trimmer";

function ramp(from: number, to: number): Float32Array {
  return Float32Array.from({ length: to - from }, (_, i) => from + i);
}

describe("Trimmer", () => {
  it.each([1, 2, 3, 7, 20, 64])("keeps exactly the take in chunks of %i samples", (size) => {
    for (const skip of [0, 1, 5, 13]) {
      const trimmer = new Trimmer(skip);
      trimmer.endAt(40);
      const kept: number[] = [];
      for (let at = 0; at < 64; at += size) {
        kept.push(...trimmer.push(ramp(at, Math.min(64, at + size))));
      }
      expect(kept).toEqual([...ramp(skip, skip + 40)]);
      expect(trimmer.emitted).toBe(40);
      expect(trimmer.excess).toBe(0);
    }
  });

  it("tells what went through before the end was known", () => {
    const trimmer = new Trimmer(2);
    trimmer.push(ramp(0, 12));
    trimmer.endAt(7);
    expect(trimmer.excess).toBe(3);
    expect(trimmer.push(ramp(12, 20))).toHaveLength(0);
  });
});

describe("decodeRecording", () => {
  const audio: AudioInfo = { format: "pcm16", sample_rate: 24000, channels: 1, pre_skip: 3 };

  function block(from: number, to: number): Uint8Array {
    return new Uint8Array(Int16Array.from(ramp(from, to)).buffer);
  }

  async function decoded(recording: Recording): Promise<number[]> {
    const heard: number[] = [];
    await decodeRecording(recording, {
      push: (samples) => heard.push(...samples.map((s) => s * 32768)),
      room: async () => undefined,
      stopped: () => false,
    });
    return heard;
  }

  it("holds the last packet until it is known where the take ends in it", async () => {
    const recording = new Recording(audio);
    const heard = decoded(recording);
    recording.add({ payload: block(0, 10), last: false });
    recording.add({ payload: block(10, 20), last: true });
    await Promise.resolve();
    recording.finish(12);
    expect(await heard).toEqual([...ramp(3, 15)]);
    expect(await decoded(recording)).toEqual([...ramp(3, 15)]);
  });

  it("gives what came of a take that was cut short", async () => {
    const recording = new Recording(audio);
    recording.add({ payload: block(0, 10), last: false });
    recording.abandon();
    expect(await decoded(recording)).toEqual([...ramp(3, 10)]);
  });

  it.each([5, 40])("is an error when the take is said to have %i samples", async (samples) => {
    const recording = new Recording(audio);
    recording.add({ payload: block(0, 20), last: false });
    const heard = decoded(recording);
    await new Promise((resolve) => setTimeout(resolve));
    recording.finish(samples);
    await expect(heard).rejects.toMatchObject({ code: "wrong_length" });
  });

  it("ends at once for a take with nothing to say", async () => {
    const recording = new Recording(audio);
    recording.finish(0);
    expect(await decoded(recording)).toEqual([]);
  });
});

describe("SpanMap", () => {
  it.each(["plain", "a 🔥 b 👍🏽 c", "🔥", "é — 日本 🇫🇷!"])(
    "finds the characters of %s",
    (text) => {
      const map = new SpanMap();
      const points = [...text];
      for (const point of points) map.append(point);
      points.forEach((point, i) => {
        const [from, to] = map.span([i, i + 1]);
        expect(text.slice(from, to)).toBe(point);
      });
      expect(map.offset(points.length)).toBe(text.length);
    },
  );
});
