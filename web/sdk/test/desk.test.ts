import { beforeEach, describe, expect, it } from "vitest";
import { SessionCore } from "../src/core";
import { Desk } from "../src/desk";
import type {
  Refused,
  SceneDone,
  SceneStarted,
  SessionOpened,
  TakeDone,
  TakeKept,
  TakeMessage,
  TakeStarted,
  Warned,
} from "../src/messages";
import { parseServerMessage } from "../src/parse";
import { Recording } from "../src/recording";
import type { Take } from "../src/take";
import { done, OPENED, started } from "./wire";

const read = <T>(message: object) => parseServerMessage(JSON.stringify(message)) as T;

describe("Desk", () => {
  let desk: Desk;
  let sent: { type: string; id: string; [field: string]: unknown }[];
  let played: { take: Take; mode: string; pauseMs: number }[];

  beforeEach(() => {
    sent = [];
    played = [];
    desk = new Desk(new SessionCore(), {
      opened: () => read<SessionOpened>(OPENED),
      send: (text) => sent.push(JSON.parse(text)),
      play: (take, mode, pauseMs) => played.push({ take, mode, pauseMs }),
    });
  });

  const last = () => sent.at(-1) ?? { type: "nothing", id: "" };
  const begin = (id: string, replyTo: string, more: object = {}) =>
    desk.follow(read<TakeStarted>({ ...started(id, 1, replyTo), ...more }));
  const end = (id: string, more: object = {}) =>
    desk.follow(read<TakeDone>({ ...done(id), ...more }));
  const spoken = (text: string) => {
    const take = desk.speak(text, { voice: "af_heart" });
    begin("k1", take.mark, { text });
    end("k1");
    return take;
  };

  it("goes on from a take that was made before", async () => {
    const words = [{ index: 0, text: "go", start: 2_400, end: 4_800, span: [2, 4] }] as const;
    const heard = { right: true, words: "go", tries: 1 };
    const stored = {
      id: "k9",
      lineId: "l9",
      kind: "edited",
      voice: "am_adam",
      text: "🔥 go",
      samples: 12_000,
      sampleRate: 24_000,
      words,
      audible: true,
      parent: undefined,
      direction: "softly",
      performance: undefined,
      heard,
    } as const;
    const line = {
      id: "l9",
      text: "🔥 go",
      sceneId: undefined,
      speaker: "HERO",
      kept: undefined,
      dual: false,
    };
    const audio = { format: "pcm16", sample_rate: 48_000, channels: 1, pre_skip: 0 } as const;
    const take = desk.recall(stored, { ...line, takes: [stored] }, undefined, new Recording(audio));
    expect(take).toMatchObject({ id: "k9", lineId: "l9", speaker: "HERO", state: "done", heard });
    expect(take.words.items).toMatchObject([{ startMs: 100, endMs: 200, span: [3, 5] }]);
    await expect(take.done).resolves.toMatchObject({ outcome: "done", durationMs: 500 });
    expect(await take.played).toBeUndefined();
    expect(played).toEqual([]);
    const slower = take.direct("slower");
    expect(last()).toMatchObject({ type: "direct", take_id: "k9", direction: "slower" });
    expect(slower).toMatchObject({ parent: take, voice: "am_adam", speaker: "HERO" });
  });

  it("asks for a directed take of the same words, and tells what moved", async () => {
    const parent = spoken("Hello there.");
    const take = parent.direct("a bit slower", { seed: 7 });
    expect(last()).toEqual({
      type: "direct",
      id: take.mark,
      take_id: "k1",
      direction: "a bit slower",
      seed: 7,
    });
    const moved = [{ words: "a bit slower", levers: { rate: [1, 0.92] } }];
    begin("k2", take.mark, { text: "Hello there.", kind: "directed", parent: "k1", moved });
    end("k2");
    await expect(take.done).resolves.toMatchObject({ outcome: "done", changed: undefined });
    expect(take).toMatchObject({ kind: "directed", parent, text: "Hello there.", lineId: "l1" });
    expect(take.moved).toMatchObject(moved);
  });

  it("takes an edit by words over as the server carried it out, spans and all", async () => {
    const parent = spoken("See you on Tuesday.");
    const changes = [{ words: [3, 4], text: "🔥 Thursday" }] as const;
    const take = parent.edit({ changes });
    expect(last()).toEqual({ type: "edit", id: take.mark, take_id: "k1", changes });
    begin("k2", take.mark, { kind: "edited", text: "See you on 🔥 Thursday." });
    const word = { index: 3, text: "Thursday", start_ms: 0, end_ms: 1, span: [13, 21] };
    desk.follow(read<TakeMessage>({ type: "take.words", take_id: "k2", words: [word] }));
    end("k2", { changed: [{ start_ms: 400, end_ms: 900 }] });
    expect(take.words.items.map(({ span }) => take.text.slice(...span))).toEqual(["Thursday"]);
    await expect(take.done).resolves.toMatchObject({ changed: [{ startMs: 400, endMs: 900 }] });
  });

  it("sends an edit by text, as the line should read", () => {
    const take = spoken("One.").edit({ text: "Two." }, { play: "none" });
    expect(last()).toEqual({ type: "edit", id: take.mark, take_id: "k1", text: "Two." });
    expect(played.at(-1)).toMatchObject({ take, mode: "none" });
  });

  it("waits with what starts from a take until that one is made", () => {
    const parent = desk.speak("One.", {});
    parent.direct("softer").direct("slower");
    expect(last().type).toBe("speak");
    begin("k1", parent.mark);
    expect(last().type).toBe("speak");
    end("k1");
    expect(last()).toMatchObject({ type: "direct", take_id: "k1", direction: "softer" });
    begin("k2", last().id);
    end("k2");
    expect(last()).toMatchObject({ type: "direct", take_id: "k2", direction: "slower" });
  });

  it("fails what starts from a take that was never made", async () => {
    const parent = desk.speak("One.", {});
    const take = parent.edit({ text: "Two." });
    desk.refuse(read<Refused>({ ...NO_VOICE, reply_to: parent.mark }));
    await expect(parent.done).rejects.toMatchObject({ code: "unknown_voice" });
    await expect(take.done).rejects.toMatchObject({ code: "no_parent" });
    await expect(parent.keep()).rejects.toMatchObject({ code: "no_parent" });
    expect(sent).toHaveLength(1);
  });

  it("keeps a take when the server has it so, and says why where it has not", async () => {
    const take = spoken("One.");
    const kept = take.keep();
    expect(last()).toEqual({ type: "keep", id: last().id, take_id: "k1" });
    const told = { type: "take.kept", take_id: "k1", line_id: "l1", reply_to: last().id };
    desk.kept(read<TakeKept>(told));
    await kept;
    const again = take.keep();
    desk.refuse(read<Refused>({ ...NO_VOICE, reply_to: last().id }));
    await expect(again).rejects.toMatchObject({ code: "unknown_voice" });
    const lost = take.keep();
    desk.abandon("The connection was lost.");
    await expect(lost).rejects.toMatchObject({ code: "connection_lost" });
  });

  it("makes a take for each line of a scene, with the silence that belongs before it", async () => {
    const scene = desk.perform("ANNA: Hello.\nBEN: Yes?", { cast: { ANNA: "af_heart" } });
    expect(last()).toEqual({
      type: "perform",
      id: scene.mark,
      script: "ANNA: Hello.\nBEN: Yes?",
      cast: { ANNA: "af_heart" },
    });
    desk.begin(read<SceneStarted>(sceneStarted(scene.mark)));
    expect(scene.lines.map(({ speaker }) => speaker)).toEqual(["ANNA", "BEN"]);
    begin("k1", scene.mark, { scene_id: "s1", speaker: "ANNA" });
    begin("k2", scene.mark, { scene_id: "s1", speaker: "BEN", pause_ms: 350, text: "Yes?" });
    end("k1");
    end("k2");
    desk.end(read<SceneDone>({ type: "scene.done", scene_id: "s1", lines: 2, cancelled: false }));
    const said: string[] = [];
    for await (const take of scene.takes) said.push(`${take.speaker}: ${take.text}`);
    expect(said).toEqual(["ANNA: Hello.", "BEN: Yes?"]);
    expect(played.map(({ pauseMs }) => pauseMs)).toEqual([0, 350]);
    await expect(scene.done).resolves.toEqual({ lines: 2, cancelled: false });
  });

  it("adds script to a scene in order, once the server has begun it", async () => {
    const scene = desk.perform("ANNA: Hello.", { more: true });
    expect(last()).toEqual({ type: "perform", id: scene.mark, script: "ANNA: Hello.", more: true });
    const added = scene.append("BEN: Yes?");
    const ended = scene.finish();
    await Promise.resolve();
    expect(sent).toHaveLength(1);
    desk.begin(read<SceneStarted>({ ...sceneStarted(scene.mark), lines: [ANNA] }));
    await Promise.resolve();
    expect(sent.slice(1)).toEqual([
      { type: "perform", id: sent[1]?.id, script: "BEN: Yes?", more: true, scene_id: "s1" },
      { type: "perform", id: sent[2]?.id, script: "", scene_id: "s1" },
    ]);
    desk.begin(read<SceneStarted>({ ...sceneStarted(sent[1]?.id ?? ""), first: 1, lines: [BEN] }));
    await added;
    expect(scene.lines).toEqual([ANNA, BEN]);
    const refused = { ...NO_VOICE, code: "bad_script", message: "line 2, column 1" };
    expect(desk.refuse(read<Refused>({ ...refused, reply_to: last().id }))).toBe(true);
    await expect(ended).rejects.toMatchObject({ code: "bad_script" });
    expect(scene.settled).toBe(false);
    desk.end(read<SceneDone>({ type: "scene.done", scene_id: "s1", lines: 2, cancelled: false }));
    await expect(scene.append("ANNA: Still here?")).rejects.toMatchObject({ code: "wrong_state" });
    expect(sent).toHaveLength(3);
  });

  it("goes on with a scene that is over", () => {
    const scene = desk.perform("BEN: Yes?", { sceneId: "s1" });
    expect(last()).toEqual({
      type: "perform",
      id: scene.mark,
      script: "BEN: Yes?",
      scene_id: "s1",
    });
    desk.begin(read<SceneStarted>({ ...sceneStarted(scene.mark), first: 1, lines: [BEN] }));
    begin("k2", scene.mark, { scene_id: "s1", speaker: "BEN", text: "Yes?" });
    expect(scene.lines).toEqual([BEN]);
    expect(scene.takes.items).toHaveLength(1);
  });

  it("refuses script for a scene that was never begun", async () => {
    const scene = desk.perform("(", { more: true });
    const added = scene.append("ANNA: Hello.");
    desk.refuse(read<Refused>({ ...NO_VOICE, reply_to: scene.mark }));
    await expect(added).rejects.toMatchObject({ code: "unknown_voice" });
    expect(sent).toHaveLength(1);
  });

  it("stops a scene whole: what still comes of it is not heard", async () => {
    const scene = desk.perform("ANNA: Hello.", {});
    desk.begin(read<SceneStarted>(sceneStarted(scene.mark)));
    begin("k1", scene.mark, { scene_id: "s1" });
    desk.stop();
    expect(sent.map(({ type, take_id }) => [type, take_id])).toEqual([
      ["perform", undefined],
      ["cancel", "k1"],
      ["cancel", undefined],
    ]);
    begin("k2", scene.mark, { scene_id: "s1" });
    expect(played.at(-1)).toMatchObject({ mode: "none" });
    // The takes were cancelled one by one, so that the server has none left to call cancelled.
    desk.end(read<SceneDone>({ type: "scene.done", scene_id: "s1", lines: 0, cancelled: false }));
    await expect(scene.done).resolves.toEqual({ lines: 0, cancelled: true });
    const late = { code: "nothing_to_cancel", message: "Nothing to cancel.", reply_to: last().id };
    expect(desk.heeds(read<Warned>({ type: "warning", ...late }))).toBe(false);
    expect(desk.heeds(read<Warned>({ type: "warning", ...late, reply_to: null }))).toBe(true);
  });

  it("fails a scene whose script is wrong, with the server's words", async () => {
    const scene = desk.perform("(", {});
    const refused = { ...NO_VOICE, code: "bad_script", message: "line 1, column 1" };
    expect(desk.refuse(read<Refused>({ ...refused, reply_to: scene.mark }))).toBe(true);
    await expect(scene.done).rejects.toMatchObject({
      code: "bad_script",
      message: "line 1, column 1",
    });
    for await (const _ of scene.takes) expect.unreachable();
  });
});

const NO_VOICE = { type: "error", code: "unknown_voice", message: "No such voice." };

const ANNA = { line_id: "l1", speaker: "ANNA", voice: "af_heart", text: "Hello.", dual: false };
const BEN = { line_id: "l2", speaker: "BEN", voice: "am_adam", text: "Yes?", dual: false };

function sceneStarted(replyTo: string) {
  return { type: "scene.started", scene_id: "s1", lines: [ANNA, BEN], reply_to: replyTo };
}
