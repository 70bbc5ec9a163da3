import { decodeRecording } from "../decode/decode";
import { deferred } from "../deferred";
import { Emitter } from "../emitter";
import { VoiceError } from "../errors";
import { assertNever } from "../never";
import type { Recording } from "../recording";
import type { PlayMode, PlayoutEvent, TrackReport } from "./playout";
import type { Underrun } from "./track";
import type { ToWorklet } from "./worklet-messages";

/** How it ended: `samples` were played, at `sampleRate`; `complete` unless it was stopped. */
export interface PlaybackEnd {
  readonly complete: boolean;
  readonly samples: number;
  readonly sampleRate: number;
  readonly underruns: readonly Underrun[];
}

export interface PlaybackEvents {
  /** The first sample leaves for the listener at this time of `performance.now()`. */
  started: number;
  /** Decoded sound, in order, before it plays; for a meter or a waveform. */
  sound: Float32Array;
  underrun: Underrun;
}

export interface PlaybackPort {
  readonly context: AudioContext;
  readonly track: number;
  send(message: ToWorklet): void;
}

/** Seconds of decoded sound that may lie ahead of the listener: what bounds the memory. */
const LEAD_S = 5;

/** One recording on its way to the listener, whose clock it keeps. */
export class Playback extends Emitter<PlaybackEvents> {
  readonly sampleRate: number;
  readonly underruns: Underrun[] = [];
  private readonly end = deferred<PlaybackEnd>();
  private pushed = 0;
  private played = 0;
  private playing = false;
  private frame = 0;
  private furthest = 0;
  private over = false;
  private wake = deferred<void>();

  constructor(
    private readonly recording: Recording,
    private readonly port: PlaybackPort,
  ) {
    super();
    this.sampleRate = port.context.sampleRate;
  }

  /** Resolves once, when all is played or it was stopped; rejects when the sound is bad. */
  get ended(): Promise<PlaybackEnd> {
    return this.end.promise;
  }

  /** Samples that have left for the listener. */
  get playedSamples(): number {
    return this.played;
  }

  get playedMs(): number {
    return (1000 * this.played) / this.sampleRate;
  }

  /** What the listener hears at this moment, in ms from the take's start; never goes back. */
  positionMs(): number {
    this.furthest = Math.max(this.furthest, this.estimate());
    return (1000 * this.furthest) / this.sampleRate;
  }

  /** Begins to decode; called by the player once. */
  begin(mode: PlayMode, pauseMs: number): void {
    const pause = Math.round((pauseMs * this.sampleRate) / 1000);
    this.port.send({ kind: "open", track: this.port.track, mode, pause });
    void this.decode();
  }

  /** Falls silent at once. */
  stop(): void {
    if (this.over) return;
    this.port.send({ kind: "drop", track: this.port.track });
    this.finish(false);
  }

  report({ played, playing }: TrackReport, frame: number): void {
    this.played = played;
    this.playing = playing;
    this.frame = frame;
    this.stir();
  }

  follow(event: PlayoutEvent, frame: number): void {
    switch (event.kind) {
      case "started":
        return this.emit("started", this.timeOf(frame));
      case "underrun":
        this.underruns.push(event.underrun);
        return this.emit("underrun", event.underrun);
      case "ended":
        this.played = event.played;
        return this.finish(true);
      default:
        return assertNever(event);
    }
  }

  private async decode(): Promise<void> {
    try {
      await decodeRecording(this.recording, {
        push: (samples) => this.push(samples),
        room: () => this.room(),
        stopped: () => this.over,
      });
      this.port.send({ kind: "end", track: this.port.track });
    } catch (error) {
      this.fail(error instanceof VoiceError ? error : new VoiceError("bad_sound", String(error)));
    }
  }

  private push(samples: Float32Array): void {
    this.emit("sound", samples);
    this.pushed += samples.length;
    // The buffer moves to the worklet, so it must be this part's own.
    this.port.send({ kind: "push", track: this.port.track, samples: samples.slice() });
  }

  private async room(): Promise<void> {
    while (!this.over && this.pushed - this.played > LEAD_S * this.sampleRate) {
      await this.wake.promise;
    }
  }

  private estimate(): number {
    if (!this.playing) return this.played;
    const { currentTime, outputLatency = 0 } = this.port.context;
    const since = (currentTime - outputLatency) * this.sampleRate - this.frame;
    return Math.min(this.pushed, Math.max(0, this.played + since));
  }

  private timeOf(frame: number): number {
    const { contextTime, performanceTime } = this.port.context.getOutputTimestamp();
    if (!contextTime || !performanceTime) return performance.now();
    return performanceTime + 1000 * (frame / this.sampleRate - contextTime);
  }

  private finish(complete: boolean): void {
    if (this.over) return;
    this.close();
    const { played: samples, sampleRate, underruns } = this;
    this.end.resolve({ complete, samples, sampleRate, underruns });
  }

  private fail(error: VoiceError): void {
    if (this.over) return;
    this.port.send({ kind: "drop", track: this.port.track });
    this.close();
    this.end.reject(error);
  }

  private close(): void {
    this.over = true;
    this.playing = false;
    this.stir();
  }

  private stir(): void {
    const { resolve } = this.wake;
    this.wake = deferred<void>();
    resolve();
  }
}
