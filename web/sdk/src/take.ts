import { decodeRecording } from "./decode/decode";
import { deferred } from "./deferred";
import { Emitter } from "./emitter";
import { VoiceError } from "./errors";
import type { AudioFrame } from "./frame";
import { Log } from "./log";
import type {
  TakeCancelled,
  TakeDone,
  TakeMessage,
  TakeStarted,
  UnderrunSummary,
  WireWord,
} from "./messages";
import { assertNever } from "./never";
import type { Playback, PlaybackEnd } from "./playout/playback";
import type { PlayMode } from "./playout/playout";
import type { Recording } from "./recording";
import { SpanMap } from "./spans";

export interface SpeakOptions {
  readonly voice?: string;
  /** Text will follow by `append`, and `finish` says when it is all there. */
  readonly more?: boolean;
  readonly lineId?: string;
  readonly speaker?: string;
  readonly direction?: string;
  readonly seed?: number;
  /** "queued" unless told otherwise; "none" plays nothing, for an app that takes the sound itself. */
  readonly play?: PlayMode | "none";
}

/** A word as it is spoken; `span` is into `take.text`, in the units of this language's strings. */
export interface Word {
  readonly index: number;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly span: readonly [from: number, to: number];
}

export type TakeResult =
  | {
      readonly outcome: "done";
      /** At the session's sample rate, `recording.audio.sample_rate`. */
      readonly samples: number;
      readonly durationMs: number;
      readonly firstAudioMs: number | undefined;
      readonly rtf: number | undefined;
      readonly underruns: UnderrunSummary | undefined;
    }
  | {
      readonly outcome: "cancelled";
      readonly sentMs: number | undefined;
      readonly heard: string | undefined;
      readonly rest: string | undefined;
    };

/** Moments of `performance.now()`. */
export interface TakeTiming {
  readonly askedAt: number;
  firstPacketAt?: number;
  firstSoundAt?: number;
}

export type TakeState = "asked" | "started" | "done" | "cancelled" | "failed";

export interface TakeEvents {
  started: TakeStarted;
  words: readonly Word[];
  packet: AudioFrame;
  /** The player has taken it up; also reached by `take.playback`. */
  playback: Playback;
  settled: TakeState;
}

/** What a take asks of its session. */
export interface TakeHost {
  append(take: Take, text: string): void;
  finish(take: Take): void;
  cancel(take: Take, playedMs: number | undefined): void;
}

/** One rendering of a line, from the asking to the last sample. */
export class Take extends Emitter<TakeEvents> {
  readonly words = new Log<Word>();
  readonly timing: TakeTiming = { askedAt: performance.now() };
  id: string | undefined;
  voice: string | undefined;
  state: TakeState = "asked";
  playback: Playback | undefined;
  private whole: string;
  private readonly spans = new SpanMap();
  private readonly ending = deferred<TakeResult>();
  private readonly playing = deferred<PlaybackEnd | undefined>();
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly host: TakeHost,
    readonly mark: string,
    text: string,
    readonly options: SpeakOptions,
    readonly recording: Recording,
  ) {
    super();
    this.whole = text;
    this.spans.append(text);
    this.voice = options.voice;
  }

  /** All text so far, as it was given. */
  get text(): string {
    return this.whole;
  }

  get settled(): boolean {
    return this.state !== "asked" && this.state !== "started";
  }

  /** Resolves when the server has sent all of it or it is cancelled; rejects with a VoiceError. */
  get done(): Promise<TakeResult> {
    return this.ending.promise;
  }

  /** Resolves when the listener has heard it, or it was stopped; undefined when it never played. */
  get played(): Promise<PlaybackEnd | undefined> {
    return this.playing.promise;
  }

  /** Adds text to a take that was opened with `more`. */
  append(text: string): void {
    this.whole += text;
    this.spans.append(text);
    this.whenStarted(() => this.host.append(this, text));
  }

  /** No more text will follow. */
  finish(): void {
    this.whenStarted(() => this.host.finish(this));
  }

  /** Falls silent at once, and has the server stop too. */
  cancel(): void {
    const playedMs = this.playback?.playedMs;
    this.playback?.stop();
    if (!this.settled) this.whenStarted(() => this.host.cancel(this, playedMs));
  }

  /** Its sound from the beginning, decoded, at `decodedRate(recording.audio)`; waits at the end. */
  async *pcm(): AsyncGenerator<Float32Array, void, void> {
    const sound = new Log<Float32Array>();
    let taken = 0;
    let stopped = false;
    let wake = deferred<void>();
    const work = decodeRecording(this.recording, {
      push: (samples) => sound.push(samples.slice()),
      room: async () => {
        while (!stopped && sound.items.length - taken > 50) await wake.promise;
      },
      stopped: () => stopped,
    }).finally(() => sound.close());
    work.catch(() => undefined);
    try {
      for await (const samples of sound) {
        yield samples;
        sound.items[taken] = new Float32Array();
        taken += 1;
        wake.resolve();
        wake = deferred<void>();
      }
      await work;
    } finally {
      stopped = true;
      wake.resolve();
    }
  }

  /** Called by the session: the player has it. */
  attach(playback: Playback): void {
    this.playback = playback;
    playback.on("started", (at) => {
      this.timing.firstSoundAt = at;
    });
    playback.ended.then(this.playing.resolve, this.playing.reject);
    this.emit("playback", playback);
    if (this.state === "cancelled") playback.stop();
  }

  /** Called by the session: nothing of it will be played. */
  unplayed(): void {
    this.playing.resolve(undefined);
  }

  /** Called by the session: a packet of this take. */
  hear(frame: AudioFrame): void {
    this.timing.firstPacketAt ??= performance.now();
    this.recording.add({ payload: frame.payload, last: frame.last });
    this.emit("packet", frame);
  }

  /** Called by the session: what the server says of this take. */
  follow(message: TakeMessage): void {
    switch (message.type) {
      case "take.started":
        return this.start(message);
      case "take.words":
        return this.learn(message.words);
      case "take.done":
        return this.complete(message);
      case "take.cancelled":
        return this.stopped(message);
      case "take.failed":
        return this.fail(new VoiceError(message.error.code, message.error.message));
      default:
        return assertNever(message);
    }
  }

  /** Called by the session: it can't be made. */
  fail(error: VoiceError): void {
    if (this.settled) return;
    this.recording.abandon();
    this.settle("failed");
    this.ending.reject(error);
  }

  private start(message: TakeStarted): void {
    this.id = message.take_id;
    this.voice = message.voice;
    if (this.state === "asked") this.state = "started";
    this.emit("started", message);
    for (const act of this.waiting.splice(0)) act();
  }

  private learn(words: readonly WireWord[]): void {
    const learned = words.map((word) => ({
      index: word.index,
      text: word.text,
      startMs: word.start_ms,
      endMs: word.end_ms,
      span: this.spans.span(word.span),
    }));
    for (const word of learned) this.words.push(word);
    this.emit("words", learned);
  }

  private complete(message: TakeDone): void {
    this.recording.finish(message.samples);
    this.settle("done");
    this.ending.resolve({
      outcome: "done",
      samples: message.samples,
      durationMs: message.duration_ms,
      firstAudioMs: message.first_audio_ms,
      rtf: message.rtf,
      underruns: message.underruns,
    });
  }

  private stopped({ sent_ms: sentMs, heard, rest }: TakeCancelled): void {
    this.recording.abandon();
    this.playback?.stop();
    this.settle("cancelled");
    this.ending.resolve({ outcome: "cancelled", sentMs, heard, rest });
  }

  private settle(state: "done" | "cancelled" | "failed"): void {
    this.state = state;
    this.words.close();
    this.emit("settled", state);
  }

  private whenStarted(act: () => void): void {
    if (this.id === undefined) this.waiting.push(act);
    else act();
  }
}
