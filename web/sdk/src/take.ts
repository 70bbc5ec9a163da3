import { pcmOf } from "./decode/pcm-of";
import { deferred } from "./deferred";
import { Emitter } from "./emitter";
import { VoiceError } from "./errors";
import type { AudioFrame } from "./frame";
import { Log } from "./log";
import type {
  Moved,
  Recognised,
  TakeCancelled,
  TakeDone,
  TakeKind,
  TakeMessage,
  TakeStarted,
  WireWord,
} from "./messages";
import { assertNever } from "./never";
import type { Performance } from "./performance";
import type { Playback, PlaybackEnd } from "./playout/playback";
import type { Recording } from "./recording";
import { SpanMap } from "./spans";
import { resultOf, type StoredTake, timedWords } from "./stored";
import type {
  DirectOptions,
  EditOptions,
  EditRequest,
  TakeEvents,
  TakeOptions,
  TakeResult,
  TakeState,
  TakeTiming,
  Word,
} from "./take-types";

/** What a take asks of its session. */
export interface TakeHost {
  append(take: Take, text: string): void;
  finish(take: Take): void;
  cancel(take: Take, playedMs: number | undefined): void;
  direct(parent: Take, direction: string, options: DirectOptions): Take;
  edit(parent: Take, request: EditRequest, options: EditOptions): Take;
  keep(take: Take): Promise<void>;
}

/** One rendering of a line, from the asking to the last sample. */
export class Take extends Emitter<TakeEvents> {
  readonly words = new Log<Word>();
  readonly timing: TakeTiming = { askedAt: performance.now() };
  id: string | undefined;
  voice: string | undefined;
  lineId: string | undefined;
  speaker: string | undefined;
  kind: TakeKind | undefined;
  /** The numbers that it is said with. */
  performance: Performance | undefined;
  /** What was said to get it, and which of those words moved what. */
  direction: string | undefined;
  moved: readonly Moved[] = [];
  /** What a recogniser made of an edit, once it is done; undefined where none listened. */
  heard: Recognised | undefined;
  state: TakeState = "asked";
  playback: Playback | undefined;
  private whole: string;
  private spans = new SpanMap();
  private readonly ending = deferred<TakeResult>();
  private readonly playing = deferred<PlaybackEnd | undefined>();
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly host: TakeHost,
    readonly mark: string,
    text: string,
    readonly options: TakeOptions,
    readonly recording: Recording,
  ) {
    super();
    this.whole = text;
    this.spans.append(text);
    this.voice = options.voice;
    this.lineId = options.lineId;
    this.speaker = options.speaker;
    this.direction = options.direction;
  }

  /** The take that it starts from, unless it is a line's first. */
  get parent(): Take | undefined {
    return this.options.parent;
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

  /**
   * A new take of the same words, said as `direction` asks ("a little gentler, a bit sadder").
   * Understood words show in its `moved`; what was not understood comes as a warning.
   */
  direct(direction: string, options: DirectOptions = {}): Take {
    return this.host.direct(this, direction, options);
  }

  /**
   * A new take that differs from this one only where its words do: by the text as it should read,
   * or by changes that count in `words`.
   */
  edit(request: EditRequest, options: EditOptions = {}): Take {
    return this.host.edit(this, request, options);
  }

  /** Makes this its line's take; resolves when the server has it so, else rejects. */
  keep(): Promise<void> {
    return this.host.keep(this);
  }

  /** Its sound from the beginning, decoded, at `decodedRate(recording.audio)`; waits at the end. */
  pcm(): AsyncGenerator<Float32Array, void, void> {
    return pcmOf(this.recording);
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

  /** Called by the session: it was made before, and is kept by the server. */
  restore(stored: StoredTake): void {
    this.id = stored.id;
    this.kind = stored.kind;
    this.performance = stored.performance;
    this.heard = stored.heard;
    this.learn(timedWords(stored));
    this.settle("done");
    this.playing.resolve(undefined);
    this.ending.resolve(resultOf(stored));
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
    this.lineId = message.line_id;
    this.speaker = message.speaker;
    this.kind = message.kind;
    this.performance = message.performance;
    this.direction = message.direction ?? this.direction;
    this.moved = message.moved;
    if (!this.options.more) this.read(message.text);
    if (this.state === "asked") this.state = "started";
    this.emit("started", message);
    for (const act of this.waiting.splice(0)) act();
  }

  /** Takes over the text as the server has it: only there is an edit by words carried out. */
  private read(text: string): void {
    this.whole = text;
    this.spans = new SpanMap();
    this.spans.append(text);
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
    this.heard = message.heard;
    this.settle("done");
    this.ending.resolve({
      outcome: "done",
      samples: message.samples,
      durationMs: message.duration_ms,
      firstAudioMs: message.first_audio_ms,
      rtf: message.rtf,
      queuedMs: message.queued_ms,
      made: message.made && {
        framesMs: message.made.frames_ms,
        windows: message.made.windows,
        heldMs: message.made.held_ms,
      },
      underruns: message.underruns,
      changed: message.changed?.map(({ start_ms, end_ms }) => ({
        startMs: start_ms,
        endMs: end_ms,
      })),
      heard: message.heard,
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
