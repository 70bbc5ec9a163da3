import { describe, expect, it } from "vitest";
import { Playout, type PlayoutEvent } from "../src/playout/playout";
import { levelLimits, StartLevel } from "../src/playout/start-level";

const BLOCK = 128;
const LIMITS = { least: 2 * BLOCK, most: 20 * BLOCK, decayAfter: 40 * BLOCK };

/** A player in virtual time: one step is one block. */
class Listener {
  readonly playout = new Playout(LIMITS);
  readonly heard: number[] = [];
  readonly events: PlayoutEvent[] = [];

  step(blocks = 1): void {
    for (let i = 0; i < blocks; i += 1) {
      const output = new Float32Array(BLOCK);
      this.events.push(...this.playout.pull(output));
      this.heard.push(...output);
    }
  }

  get sound(): number[] {
    return this.heard.filter((s) => s !== 0);
  }

  kinds(): string[] {
    return this.events.map((e) => `${e.kind} ${e.track}`);
  }
}

/** Samples `from`..`to`, none of which is 0, so that silence can be told from sound. */
function tone(from: number, to: number): Float32Array {
  return Float32Array.from({ length: to - from }, (_, i) => from + i + 1);
}

describe("Playout", () => {
  it("waits for the start level, then plays every sample once", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.step(3);
    ear.playout.push(1, tone(0, 255));
    ear.step(2);
    expect(ear.sound).toEqual([]);
    ear.playout.push(1, tone(255, 1000));
    ear.playout.end(1);
    ear.step(9);
    expect(ear.sound).toEqual([...tone(0, 1000)]);
    expect(ear.events).toEqual([
      { kind: "started", track: 1 },
      { kind: "ended", track: 1, played: 1000 },
    ]);
  });

  it("does not wait when all there is is less than the level", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.push(1, tone(0, 5));
    ear.playout.end(1);
    ear.step();
    expect(ear.sound).toEqual([1, 2, 3, 4, 5]);
    expect(ear.kinds()).toEqual(["started 1", "ended 1"]);
  });

  it("ends a take with nothing to say without a sound", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.end(1);
    ear.step();
    expect(ear.events).toEqual([{ kind: "ended", track: 1, played: 0 }]);
  });

  it.each([1, 7, 128, 129, 500])("plays chunks of %i samples as one", (size) => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    for (let at = 0; at < 2000; at += size) {
      ear.playout.push(1, tone(at, Math.min(2000, at + size)));
    }
    ear.playout.end(1);
    ear.step(20);
    expect(ear.sound).toEqual([...tone(0, 2000)]);
  });

  it("counts a starvation with its place and its length, and loses no sound to it", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.push(1, tone(0, 3 * BLOCK));
    ear.step(3 + 5);
    ear.playout.push(1, tone(3 * BLOCK, 30 * BLOCK));
    ear.playout.end(1);
    ear.step(30);
    expect(ear.events.find((e) => e.kind === "underrun")).toEqual({
      kind: "underrun",
      track: 1,
      underrun: { at: 3 * BLOCK, length: 5 * BLOCK },
    });
    expect(ear.sound).toEqual([...tone(0, 30 * BLOCK)]);
  });

  it.each([1, 72, 127])(
    "counts every sample of a starvation that begins %i into a block",
    (odd) => {
      const ear = new Listener();
      ear.playout.open(1, "queued");
      ear.playout.push(1, tone(0, 9 * BLOCK + odd));
      ear.step(9 + 4);
      ear.playout.push(1, tone(9 * BLOCK + odd, 20 * BLOCK));
      ear.playout.end(1);
      ear.step(20);
      const underruns = ear.events.filter((e) => e.kind === "underrun");
      const silent = ear.heard.slice(0, ear.heard.indexOf(20 * BLOCK)).filter((s) => s === 0);
      expect(underruns).toHaveLength(1);
      expect(underruns[0]?.underrun).toEqual({ at: 9 * BLOCK + odd, length: silent.length });
    },
  );

  it("does not call the wait for the end of a take an underrun", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.push(1, tone(0, 3 * BLOCK));
    ear.step(10);
    ear.playout.end(1);
    ear.step();
    expect(ear.kinds()).toEqual(["started 1", "ended 1"]);
  });

  it("waits for more before it starts again after a long starvation", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.push(1, tone(0, 2 * BLOCK));
    ear.step(2 + 6);
    ear.playout.push(1, tone(2 * BLOCK, 6 * BLOCK));
    ear.step();
    expect(ear.sound).toHaveLength(2 * BLOCK);
    ear.playout.push(1, tone(6 * BLOCK, 12 * BLOCK));
    ear.step();
    expect(ear.sound).toHaveLength(3 * BLOCK);
  });

  it("holds a little sound back no longer than the start level is worth", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.push(1, tone(0, 10));
    ear.step(2);
    expect(ear.sound).toEqual([]);
    ear.step();
    expect(ear.sound).toHaveLength(10);
  });

  it("plays queued takes one after another in the order they were opened", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.open(2, "queued");
    ear.playout.push(2, tone(1000, 1300));
    ear.playout.end(2);
    ear.step(4);
    expect(ear.sound).toEqual([]);
    ear.playout.push(1, tone(0, 300));
    ear.playout.end(1);
    ear.step(7);
    expect(ear.sound).toEqual([...tone(0, 300), ...tone(1000, 1300)]);
    expect(ear.kinds()).toEqual(["started 1", "ended 1", "started 2", "ended 2"]);
  });

  it.each([1, 128, 300])("is silent for %i samples before a take that has a pause", (pause) => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.open(2, "queued", pause);
    for (const id of [1, 2]) {
      ear.playout.push(id, tone(1000 * id, 1000 * id + BLOCK));
      ear.playout.end(id);
    }
    ear.step(6);
    const silence = ear.heard.slice(BLOCK, ear.heard.indexOf(2001));
    expect(silence).toEqual(Array.from({ length: pause }, () => 0));
    expect(ear.sound).toEqual([...tone(1000, 1000 + BLOCK), ...tone(2000, 2000 + BLOCK)]);
    expect(ear.kinds()).toEqual(["started 1", "ended 1", "started 2", "ended 2"]);
  });

  it("mixes a take that is to play at once", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.open(2, "mixed");
    for (const id of [1, 2]) {
      ear.playout.push(id, tone(0, 300));
      ear.playout.end(id);
    }
    ear.step(3);
    expect(ear.sound).toEqual([...tone(0, 300)].map((s) => 2 * s));
  });

  it("falls silent within a few milliseconds of a drop, and goes on with the next take", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.push(1, new Float32Array(9000).fill(1));
    ear.step(2);
    ear.playout.drop(1);
    ear.step(3);
    const after = ear.heard.slice(2 * BLOCK);
    expect(after.indexOf(0)).toBe(256);
    expect(after.slice(0, 256)).toEqual([...after.slice(0, 256)].sort((a, b) => b - a));
    expect(ear.playout.reports()).toEqual([]);
    ear.playout.open(2, "queued");
    ear.playout.push(2, tone(0, 10));
    ear.playout.end(2);
    ear.step();
    expect(ear.kinds().slice(-1)).toEqual(["ended 2"]);
  });

  it("passes over sound of a take that was dropped", () => {
    const ear = new Listener();
    ear.playout.open(1, "queued");
    ear.playout.drop(1);
    ear.playout.push(1, tone(0, 900));
    ear.step(9);
    expect(ear.sound).toEqual([]);
  });
});

describe("StartLevel", () => {
  it("starts small, grows with what was missing, and comes down while all goes well", () => {
    const level = new StartLevel(LIMITS);
    expect(level.samples).toBe(LIMITS.least);
    level.starved(6 * BLOCK);
    const grown = level.samples;
    expect(grown).toBe(8 * BLOCK);
    level.played(LIMITS.decayAfter - 1);
    expect(level.samples).toBe(grown);
    level.played(1);
    expect(level.samples).toBeLessThan(grown);
    for (let i = 0; i < 20; i += 1) level.played(LIMITS.decayAfter);
    expect(level.samples).toBe(LIMITS.least);
  });

  it("never asks for more than its bound", () => {
    const level = new StartLevel(LIMITS);
    level.starved(1000 * BLOCK);
    expect(level.samples).toBe(LIMITS.most);
  });

  it("is 40 ms at first, and always under the lead that the server keeps", () => {
    expect(new StartLevel(levelLimits(48000, 1)).samples).toBe(1920);
    for (const leadS of [0.1, 0.5, 2, 10]) {
      const level = new StartLevel(levelLimits(48000, leadS));
      level.starved(48000 * 100);
      expect(level.samples).toBeLessThan(48000 * leadS);
    }
  });
});
