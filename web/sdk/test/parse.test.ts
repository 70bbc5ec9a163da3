import { describe, expect, it } from "vitest";
import { parseServerMessage } from "../src/parse";
import { done, OPENED, started } from "./wire";

describe("parseServerMessage", () => {
  it("reads what a session is opened with", () => {
    expect(parseServerMessage(JSON.stringify(OPENED))).toEqual(OPENED);
  });

  it("passes over fields and types of a later version", () => {
    const later = JSON.stringify({ ...started(), mood: "bright" });
    expect(parseServerMessage(later)).not.toHaveProperty("mood");
    expect(parseServerMessage('{"type":"take.sung"}')).toBeUndefined();
    expect(parseServerMessage('{"type":"constructor"}')).toBeUndefined();
  });

  it("takes null for absent", () => {
    const message = parseServerMessage(JSON.stringify({ ...done(), rtf: null, underruns: null }));
    expect(message).toMatchObject({ samples: 1000, rtf: undefined, underruns: undefined });
  });

  it.each([
    ["not json", undefined],
    ["[]", "message"],
    ["null", "message"],
    ["{}", "type"],
    [JSON.stringify({ ...started(), take_id: 5 }), "take_id"],
    [JSON.stringify({ ...done(), samples: "many" }), "samples"],
    [JSON.stringify({ ...OPENED, audio: { ...OPENED.audio, format: "mp3" } }), "audio.format"],
    [JSON.stringify({ ...OPENED, voices: [{ id: "x" }] }), "voices[0].name"],
    [
      JSON.stringify({
        type: "take.words",
        take_id: "k",
        words: [{ index: 0, text: "a", start_ms: 0, end_ms: 1, span: [3, 1] }],
      }),
      "words[0].span",
    ],
  ])("names what is wrong in %s", (text, field) => {
    expect(() => parseServerMessage(text)).toThrow(
      expect.objectContaining({ code: "bad_protocol", field }),
    );
  });
});
