import { describe, expect, it } from "vitest";
import { parseServerMessage } from "../src/parse";
import { done, OPENED, PERFORMANCE, started } from "./wire";

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

  it("reads how long a take waited and how it was made", () => {
    const made = { frames_ms: 120.5, windows: [4, 6, 10], held_ms: null };
    const message = parseServerMessage(JSON.stringify({ ...done(), queued_ms: 80, made }));
    expect(message).toMatchObject({ queued_ms: 80, made: { ...made, held_ms: undefined } });
    const before = parseServerMessage(JSON.stringify(done()));
    expect(before).toMatchObject({ queued_ms: 0, made: undefined });
    const wrong = { ...done(), made: { ...made, windows: ["4"] } };
    expect(() => parseServerMessage(JSON.stringify(wrong))).toThrow("made.windows");
  });

  it("reads what a direction came to", () => {
    const { rate: _, ...levers } = PERFORMANCE;
    const part = { span: [0, 2], levers: { ...levers, rate: 1, whisper: true } };
    const directed = {
      ...started("k2"),
      kind: "directed",
      parent: "k1",
      direction: "slower, whisper it",
      performance: { ...PERFORMANCE, parts: [part] },
      moved: [
        { words: "slower", levers: { rate: [1, 0.92] }, scope: null },
        { words: "whisper it", levers: { whisper: [false, true] }, scope: "it" },
      ],
    };
    expect(parseServerMessage(JSON.stringify(directed))).toMatchObject({
      kind: "directed",
      parent: "k1",
      performance: { rate: 0.92, parts: [{ span: [0, 2], levers: { whisper: true } }] },
      moved: [
        { words: "slower", levers: { rate: [1, 0.92] }, scope: undefined },
        { words: "whisper it", levers: { whisper: [0, 1] }, scope: "it" },
      ],
    });
  });

  it("reads where an edit differs, and what a scene consists of", () => {
    const heard = { right: true, words: "mat", tries: 2 };
    const edited = { ...done(), changed: [{ start_ms: 5, end_ms: 9.5 }], heard };
    const { changed } = edited;
    expect(parseServerMessage(JSON.stringify(edited))).toMatchObject({ changed, heard });
    expect(parseServerMessage(JSON.stringify(done()))).toMatchObject({ heard: undefined });
    const said = { line_id: "l1", speaker: "ANNA", voice: "af_heart", text: "Hello." };
    const line = { ...said, dual: true };
    const scene = {
      type: "scene.started",
      scene_id: "s1",
      lines: [line],
      first: 2,
      reply_to: "c1",
    };
    expect(parseServerMessage(JSON.stringify(scene))).toEqual(scene);
    const over = { type: "scene.done", scene_id: "s1", lines: 1, cancelled: true };
    expect(parseServerMessage(JSON.stringify(over))).toMatchObject(over);
  });

  it.each([
    ["not json", undefined],
    ["[]", "message"],
    ["null", "message"],
    ["{}", "type"],
    [JSON.stringify({ ...started(), take_id: 5 }), "take_id"],
    [JSON.stringify({ ...done(), samples: "many" }), "samples"],
    [JSON.stringify({ ...started(), kind: "sung" }), "kind"],
    [
      JSON.stringify({ ...started(), moved: [{ words: "slower", levers: { rate: [1] } }] }),
      "moved[0].levers.rate",
    ],
    [
      JSON.stringify({ ...done(), performance: { ...PERFORMANCE, rate: "slow" } }),
      "performance.rate",
    ],
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
