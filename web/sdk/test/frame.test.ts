import { describe, expect, it } from "vitest";
import { ProtocolError } from "../src/errors";
import { HEADER_BYTES, parseAudioFrame } from "../src/frame";
import { audioFrame } from "./wire";

describe("parseAudioFrame", () => {
  it("reads every field, little-endian", () => {
    const frame = parseAudioFrame(
      audioFrame({ flags: 1, stream: 0x01020304, seq: 0xfffffffe, timestamp: 0x1_0000_0001n }),
    );
    expect(frame).toMatchObject({ last: true, stream: 0x01020304, seq: 0xfffffffe });
    expect(frame.timestamp).toBe(0x1_0000_0001);
    expect([...frame.payload]).toEqual([1, 2, 3]);
  });

  it("reads the same from any place within larger memory", () => {
    const bytes = new Uint8Array(audioFrame({ seq: 7, payload: [9, 8] }));
    for (let before = 0; before < 9; before += 1) {
      const memory = new Uint8Array(before + bytes.length + 5).fill(0xaa);
      memory.set(bytes, before);
      const frame = parseAudioFrame(memory.subarray(before, before + bytes.length));
      expect(frame.seq).toBe(7);
      expect([...frame.payload]).toEqual([9, 8]);
    }
  });

  it("refuses every frame that is cut within its header or right after it", () => {
    const bytes = new Uint8Array(audioFrame());
    for (let length = 0; length <= HEADER_BYTES; length += 1) {
      expect(() => parseAudioFrame(bytes.subarray(0, length))).toThrow(ProtocolError);
    }
  });

  it.each([
    [{ version: 2 }, "version"],
    [{ kind: 3 }, "kind"],
    [{ timestamp: 2n ** 60n }, "timestamp"],
  ])("names the field that is wrong in %o", (parts, field) => {
    expect(() => parseAudioFrame(audioFrame(parts))).toThrow(expect.objectContaining({ field }));
  });

  it("passes over flags that it does not know", () => {
    expect(parseAudioFrame(audioFrame({ flags: 0xfffe })).last).toBe(false);
  });
});
