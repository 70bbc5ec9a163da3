import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AudioInfo, Recognised, TakeStarted } from "../src/messages";
import { Recording } from "../src/recording";
import { Take } from "../src/take";
import type { SpeakOptions } from "../src/take-types";
import { done, started } from "./wire";

const AUDIO: AudioInfo = { format: "pcm16", sample_rate: 24000, channels: 1, pre_skip: 0 };

describe("Take", () => {
  const host = {
    append: vi.fn(),
    finish: vi.fn(),
    cancel: vi.fn(),
    direct: vi.fn(),
    edit: vi.fn(),
    keep: vi.fn(),
  };
  const make = (text: string, options: SpeakOptions = {}) =>
    new Take(host, "speak-c1", text, options, new Recording(AUDIO));
  const begin = (take: Take) => take.follow(started() as TakeStarted);
  const finish = (take: Take, samples: number, heard?: Recognised) =>
    take.follow({
      ...done("k1", samples),
      type: "take.done",
      first_audio_ms: 1,
      rtf: 0.2,
      underruns: undefined,
      performance: undefined,
      changed: undefined,
      heard,
      queued_ms: 12,
      made: { frames_ms: 3, windows: [4, 6], held_ms: undefined },
    });

  beforeEach(() => vi.clearAllMocks());

  it("gives words with spans into its text as this language counts it", async () => {
    const take = make("🔥 go", { more: true });
    begin(take);
    take.append(" 👍 on");
    const word = (index: number, span: [number, number]) => ({
      index,
      text: "",
      start_ms: 0,
      end_ms: 1,
      span,
    });
    take.follow({ type: "take.words", take_id: "k1", words: [word(0, [2, 4]), word(1, [7, 9])] });
    finish(take, 0);
    const heard: string[] = [];
    for await (const { span } of take.words) heard.push(take.text.slice(...span));
    expect(heard).toEqual(["go", "on"]);
  });

  it("keeps what is said before it has started, and says it then, in order", () => {
    const take = make("One", { more: true });
    take.append(" two");
    take.finish();
    take.cancel();
    expect(host.append).not.toHaveBeenCalled();
    begin(take);
    expect(host.append).toHaveBeenCalledWith(take, " two");
    expect(host.finish).toHaveBeenCalledOnce();
    expect(host.cancel).toHaveBeenCalledOnce();
  });

  it("does not ask the server to stop what is over", () => {
    const take = make("One");
    begin(take);
    finish(take, 0);
    take.cancel();
    expect(host.cancel).not.toHaveBeenCalled();
  });

  it("gives its sound to any number of readers, each from the beginning", async () => {
    const take = make("One");
    begin(take);
    const read = async () => {
      const samples: number[] = [];
      for await (const chunk of take.pcm()) samples.push(...chunk);
      return samples;
    };
    const first = read();
    const payload = new Uint8Array(Int16Array.of(16384, -32768, 99).buffer);
    take.hear({ stream: 1, seq: 0, timestamp: 0, last: true, payload });
    finish(take, 2);
    expect(await first).toEqual([0.5, -1]);
    expect(await read()).toEqual([0.5, -1]);
    await expect(take.done).resolves.toMatchObject({
      outcome: "done",
      samples: 2,
      rtf: 0.2,
      queuedMs: 12,
      made: { framesMs: 3, windows: [4, 6], heldMs: undefined },
    });
  });

  it("tells what a recogniser made of an edit", async () => {
    const heard = { right: false, words: "thirsty", tries: 3 };
    const take = make("One");
    begin(take);
    expect(take.heard).toBeUndefined();
    finish(take, 0, heard);
    expect(take.heard).toEqual(heard);
    await expect(take.done).resolves.toMatchObject({ heard });
  });

  it("ends with what was heard when it is cancelled", async () => {
    const take = make("One two");
    begin(take);
    take.follow({
      type: "take.cancelled",
      take_id: "k1",
      sent_ms: 20,
      heard: "One",
      rest: " two",
    });
    await expect(take.done).resolves.toEqual({
      outcome: "cancelled",
      sentMs: 20,
      heard: "One",
      rest: " two",
    });
    expect(take.state).toBe("cancelled");
  });

  it("rejects with the server's words when it fails, and closes its words and its sound", async () => {
    const take = make("One");
    begin(take);
    const error = { code: "stage_failed", message: "The voice broke." };
    take.follow({ type: "take.failed", take_id: "k1", error });
    await expect(take.done).rejects.toMatchObject(error);
    for await (const _ of take.words) expect.unreachable();
    for await (const _ of take.pcm()) expect.unreachable();
  });
});
