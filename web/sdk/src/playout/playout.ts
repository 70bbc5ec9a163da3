import { type LevelLimits, StartLevel } from "./start-level";
import { Track, type Underrun } from "./track";

/** "queued" plays after the takes opened before it; "mixed" at once, over whatever plays. */
export type PlayMode = "queued" | "mixed";

export type PlayoutEvent =
  | { readonly kind: "started"; readonly track: number }
  | { readonly kind: "underrun"; readonly track: number; readonly underrun: Underrun }
  | { readonly kind: "ended"; readonly track: number; readonly played: number };

export interface TrackReport {
  readonly track: number;
  readonly played: number;
  readonly playing: boolean;
}

interface Entry {
  readonly id: number;
  readonly mode: PlayMode;
  readonly track: Track;
  /** Samples of silence that are still due before it. */
  pause: number;
}

const FADE_SAMPLES = 256;

/** All that the listener hears: tracks one after another, or mixed, as samples that are due. */
export class Playout {
  private readonly entries: Entry[] = [];
  private readonly level: StartLevel;
  private fading: Float32Array = new Float32Array();

  constructor(limits: LevelLimits) {
    this.level = new StartLevel(limits);
  }

  open(id: number, mode: PlayMode, pause = 0): void {
    this.entries.push({ id, mode, track: new Track(this.level), pause });
  }

  push(id: number, samples: Float32Array): void {
    this.find(id)?.track.push(samples);
  }

  end(id: number): void {
    this.find(id)?.track.end();
  }

  /** Stops a track within a few milliseconds. */
  drop(id: number): void {
    const entry = this.find(id);
    if (entry === undefined) return;
    const tail = entry.track.tail(FADE_SAMPLES);
    if (tail.length > 0) this.fading = tail;
    this.remove(entry);
  }

  /** Fills `output`, which is silent when it comes, with what is due. */
  pull(output: Float32Array): PlayoutEvent[] {
    const events = this.audible().flatMap((entry) => this.play(entry, output));
    this.fade(output);
    return events;
  }

  reports(): TrackReport[] {
    return this.entries.map(({ id, track }) => ({
      track: id,
      played: track.played,
      playing: track.state === "playing",
    }));
  }

  private audible(): Entry[] {
    const head = this.entries.find(({ mode }) => mode === "queued");
    return this.entries.filter((entry) => entry.mode === "mixed" || entry === head);
  }

  private play(entry: Entry, output: Float32Array): PlayoutEvent[] {
    const { id, track } = entry;
    const fresh = track.played === 0;
    const silent = Math.min(entry.pause, output.length);
    entry.pause -= silent;
    if (silent > 0 && silent === output.length) return [];
    const underrun = track.pull(output.subarray(silent));
    const events: PlayoutEvent[] = [];
    if (underrun) events.push({ kind: "underrun", track: id, underrun });
    if (fresh && track.played > 0) events.push({ kind: "started", track: id });
    if (track.state === "ended") {
      events.push({ kind: "ended", track: id, played: track.played });
      this.remove(entry);
    }
    return events;
  }

  private fade(output: Float32Array): void {
    const part = this.fading.subarray(0, output.length);
    for (let i = 0; i < part.length; i += 1) {
      output[i] = (output[i] as number) + (part[i] as number);
    }
    this.fading = this.fading.subarray(part.length);
  }

  private find(id: number): Entry | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  private remove(entry: Entry): void {
    this.entries.splice(this.entries.indexOf(entry), 1);
  }
}
