import { afterEach, describe, expect, it, vi } from "vitest";
import { Library } from "../src/library";
import { PERFORMANCE } from "./wire";

const TAKE = {
  id: "k2",
  line_id: "l1",
  kind: "edited",
  voice: "am_adam",
  text: "🔥 Thursday",
  seed: 0,
  performance: PERFORMANCE,
  state: "done",
  samples: 12_000,
  sample_rate: 24_000,
  created_at: 1,
  parent: "k1",
  direction: null,
  words: [{ index: 0, text: "Thursday", start: 2_400, end: 9_600, span: [2, 10] }],
  heard: { right: false, words: "thirsty", tries: 3 },
};
const DOCUMENT = {
  format: "voice-session",
  version: 1,
  session: {
    id: "s1",
    opened_at: 1,
    touched_at: 2,
    cast: [],
    scenes: [{ id: "c1", title: "Storm", script: "", format: "plain", cast: [["HERO", "v"]] }],
    lines: [
      {
        id: "l1",
        text: "🔥 Thursday",
        scene_id: "c1",
        speaker: "HERO",
        direction: null,
        kept: "k2",
        takes: [{ ...TAKE, id: "k1", state: "cancelled", parent: null, heard: null }, TAKE],
      },
    ],
  },
  sounds: [],
};

describe("Library", () => {
  const asked: { url: string; options: RequestInit }[] = [];
  const answer = (make: () => Response) =>
    vi.stubGlobal("fetch", async (url: URL, options: RequestInit) => {
      asked.push({ url: url.href, options });
      return make();
    });

  afterEach(() => {
    asked.length = 0;
    vi.unstubAllGlobals();
  });

  it("reads what was said in a session, beside the socket's address", async () => {
    answer(() => Response.json(DOCUMENT));
    const session = await new Library("wss://voices.example/a/v1/session").session("s1");
    expect(asked[0]?.url).toBe("https://voices.example/a/v1/sessions/s1");
    expect(session.scenes).toEqual([{ id: "c1", title: "Storm", cast: new Map([["HERO", "v"]]) }]);
    const [line] = session.lines;
    expect(line).toMatchObject({ id: "l1", sceneId: "c1", speaker: "HERO", kept: "k2" });
    expect(line?.takes.map(({ audible }) => audible)).toEqual([false, true]);
    expect(line?.takes[1]).toMatchObject({
      id: "k2",
      parent: "k1",
      direction: undefined,
      sampleRate: 24_000,
      heard: { right: false, words: "thirsty", tries: 3 },
    });
  });

  it("sends a file and gives what the session is taken up by", async () => {
    answer(() => Response.json({ session_id: "s2", token: "t" }, { status: 201 }));
    const file = new Blob(["{}"]);
    const ticket = await new Library("ws://here/v1/session").open(file);
    expect(ticket).toEqual({ sessionId: "s2", token: "t" });
    expect(asked[0]?.url).toBe("http://here/v1/sessions");
    expect(asked[0]?.options).toMatchObject({ method: "POST", body: file });
  });

  it("tells a refusal in the server's words, and an answer that is none by its status", async () => {
    const library = new Library("ws://here/v1/session");
    const error = { code: "bad_archive", message: "version: too new", field: "version" };
    answer(() => Response.json({ error }, { status: 400 }));
    await expect(library.open(new Blob())).rejects.toMatchObject(error);
    answer(() => new Response("gateway", { status: 502 }));
    await expect(library.open(new Blob())).rejects.toMatchObject({ code: "http_error" });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no route")));
    await expect(library.open(new Blob())).rejects.toMatchObject({ code: "not_connected" });
  });

  it("fetches a take's sound once, when it is first read", async () => {
    answer(() => new Response(new Uint8Array(4)));
    const decode = vi.fn(async () => Float32Array.of(0.5, -1, 1));
    const recording = new Library("ws://here/v1/session", decode).recording("k2", 48_000);
    expect(asked).toEqual([]);
    const read = async () => {
      const payloads: number[] = [];
      for await (const { payload } of recording.packets) {
        payloads.push(...new Int16Array(payload.buffer));
      }
      return payloads;
    };
    expect(await read()).toEqual([16_384, -32_768, 32_767]);
    expect(await read()).toEqual([16_384, -32_768, 32_767]);
    expect(await recording.end).toBe(3);
    expect(decode).toHaveBeenCalledExactlyOnceWith(expect.anything(), 48_000);
    expect(asked.map(({ url }) => url)).toEqual(["http://here/v1/takes/k2.wav"]);
  });

  it("tries again to fetch a sound that could not be had", async () => {
    const library = new Library("ws://here/v1/session", async () => Float32Array.of(0));
    const recording = library.recording("k2", 48_000);
    const read = async () => {
      for await (const _ of recording.packets) return true;
      return false;
    };
    answer(() => new Response("gone", { status: 503 }));
    await expect(read()).rejects.toMatchObject({ code: "http_error" });
    answer(() => new Response(new Uint8Array(4)));
    expect(await read()).toBe(true);
  });
});
