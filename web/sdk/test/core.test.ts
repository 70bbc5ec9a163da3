import { beforeEach, describe, expect, it } from "vitest";
import { SessionCore } from "../src/core";
import { audioFrame, done, OPENED, started } from "./wire";

describe("SessionCore", () => {
  let core: SessionCore;
  const say = (message: object) => core.receive(JSON.stringify(message));
  const hear = (stream: number, seq: number) => core.receive(audioFrame({ stream, seq }));
  const greeting = () => JSON.parse(core.open({ format: "opus", frameMs: 20 }));

  beforeEach(() => {
    core = new SessionCore();
    say(OPENED);
  });

  it("greets a server that it does not know without asking for anything back", () => {
    core = new SessionCore();
    expect(greeting()).toEqual({
      type: "session.open",
      audio: { format: "opus", frame_ms: 20 },
    });
  });

  it("asks for the session that it is told to, and once it is open for that no more", () => {
    core.want({ sessionId: "s9", token: "t9" });
    expect(core.opened).toBeUndefined();
    expect(greeting().resume).toEqual({ session_id: "s9", token: "t9", received: {} });
    say({ ...OPENED, session_id: "s9", resumed: true, limits: {} });
    expect(greeting().resume).toBeUndefined();
  });

  it("hands a packet to the take of its stream", () => {
    say(started("k1", 1));
    say(started("k2", 2));
    expect(hear(2, 0)).toMatchObject({ kind: "packet", takeId: "k2" });
    expect(hear(1, 0)).toMatchObject({ kind: "packet", takeId: "k1" });
  });

  it("lets nothing of a take through after it has ended", () => {
    for (const [type, rest] of [
      ["take.done", { samples: 0, duration_ms: 0 }],
      ["take.cancelled", {}],
      ["take.failed", { error: { code: "x", message: "y" } }],
    ] as const) {
      say(started("k1", 1));
      hear(1, 0);
      say({ type, take_id: "k1", ...rest });
      expect(hear(1, 1)).toBeUndefined();
    }
  });

  it("asks a resume to go on after the last packet of each open stream", () => {
    say(started("k1", 1));
    say(started("k2", 2));
    say(started("k3", 3));
    hear(1, 0);
    hear(1, 1);
    hear(2, 0);
    say(done("k2"));
    expect(greeting().resume).toEqual({ session_id: "s1", token: "t1", received: { 1: 1 } });
  });

  it("asks for nothing back from a server that keeps no sessions", () => {
    say({ ...OPENED, limits: { resume_s: 0 } });
    expect(greeting()).not.toHaveProperty("resume");
  });

  it("goes on where it was after a resume, and hands no packet on twice", () => {
    say(started("k1", 1));
    hear(1, 0);
    hear(1, 1);
    say({ ...OPENED, resumed: true, token: "t2" });
    expect(hear(1, 1)).toBeUndefined();
    expect(hear(1, 2)).toMatchObject({ kind: "packet", takeId: "k1" });
    expect(greeting().resume.token).toBe("t2");
  });

  it("forgets the streams of a session that could not be resumed", () => {
    say(started("k1", 1));
    say({ ...OPENED, session_id: "s2" });
    expect(hear(1, 0)).toBeUndefined();
  });

  it("says that sound is missing, and goes on", () => {
    say(started("k1", 1));
    hear(1, 0);
    expect(hear(1, 2)).toMatchObject({ kind: "fault" });
    expect(hear(1, 3)).toMatchObject({ kind: "packet" });
  });

  it("makes a fault of what it can't read", () => {
    expect(core.receive("{")).toMatchObject({ kind: "fault" });
    expect(core.receive(new ArrayBuffer(3))).toMatchObject({ kind: "fault" });
    expect(hear(9, 0)).toBeUndefined();
  });
});
