import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PacketDecoder, PcmSink } from "../src/decode/decoder";
import { DECODE_DEADLINE_MS, type DecoderPair, ResilientDecoder } from "../src/decode/resilient";

/** Decodes packet [n] to n, n + 0.25, n + 0.5, n + 0.75. */
class Simple implements PacketDecoder {
  readonly sampleRate = 48000;
  closed = false;

  constructor(
    private readonly sink: PcmSink,
    private readonly failAt = Number.POSITIVE_INFINITY,
    private readonly fail = () => {},
  ) {}

  decode([n = 0]: Uint8Array): void {
    if (n >= this.failAt) return this.fail();
    this.sink(Float32Array.of(n, n + 0.25, n + 0.5, n + 0.75));
  }

  async flush(): Promise<void> {}

  close(): void {
    this.closed = true;
  }
}

const PACKETS = [0, 1, 2, 3, 4].map((n) => Uint8Array.of(n));
const WHOLE = Array.from({ length: 20 }, (_, i) => i / 4);

describe("ResilientDecoder", () => {
  let heard: number[];
  const sink: PcmSink = (samples) => heard.push(...samples);

  beforeEach(() => {
    heard = [];
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  async function decodeAll(first: DecoderPair["first"]) {
    const gaveUp = vi.fn();
    const second = vi.fn(async (out: PcmSink) => new Simple(out));
    const decoder = new ResilientDecoder({ first, second, gaveUp }, sink);
    for (const packet of PACKETS) decoder.decode(packet);
    const flushed = decoder.flush();
    await vi.advanceTimersByTimeAsync(2 * DECODE_DEADLINE_MS);
    await flushed;
    decoder.close();
    return { gaveUp, second };
  }

  it("stays with the first while it works", async () => {
    const { second } = await decodeAll((out) => new Simple(out));
    expect(heard).toEqual(WHOLE);
    expect(second).not.toHaveBeenCalled();
  });

  it("uses the second where there is no first", async () => {
    await decodeAll(() => undefined);
    expect(heard).toEqual(WHOLE);
  });

  it("uses the second where the first can't be made", async () => {
    await decodeAll(() => {
      throw new Error("not here");
    });
    expect(heard).toEqual(WHOLE);
  });

  it.each([0, 1, 3, 4])("goes on without a gap when the first fails at packet %i", async (at) => {
    const { gaveUp } = await decodeAll((out, onError) => new Simple(out, at, onError));
    expect(heard).toEqual(WHOLE);
    expect(gaveUp).toHaveBeenCalledOnce();
  });

  it("goes on without a gap when the first throws", async () => {
    await decodeAll(
      (out) =>
        new Simple(out, 2, () => {
          throw new Error("broken");
        }),
    );
    expect(heard).toEqual(WHOLE);
  });

  it("gives up a first that gives nothing in time, and hears no more of it", async () => {
    const late: PcmSink[] = [];
    await decodeAll((out) => {
      late.push(out);
      return new Simple(() => undefined);
    });
    late[0]?.(Float32Array.of(99));
    expect(heard).toEqual(WHOLE);
  });

  it("gives up a first whose flush never ends, keeping what it gave", async () => {
    await decodeAll((out) => {
      const stuck = new Simple(out, 2);
      stuck.flush = () => new Promise(() => undefined);
      return stuck;
    });
    expect(heard).toEqual(WHOLE);
  });

  it("closes a second that comes after it was closed itself", async () => {
    const made: Simple[] = [];
    const second = async (out: PcmSink) => {
      const simple = new Simple(out);
      made.push(simple);
      return simple;
    };
    const decoder = new ResilientDecoder({ first: () => undefined, second }, sink);
    decoder.decode(PACKETS[0] as Uint8Array);
    decoder.close();
    await vi.runAllTimersAsync();
    expect(made[0]?.closed).toBe(true);
    expect(heard).toEqual([]);
  });
});
