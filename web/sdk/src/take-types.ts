import type { AudioFrame } from "./frame";
import type { Recognised, TakeStarted, UnderrunSummary, WordChange } from "./messages";
import type { Playback } from "./playout/playback";
import type { PlayMode } from "./playout/playout";
import type { Take } from "./take";

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

export interface DirectOptions {
  /** That of the take it is said of unless told otherwise, so that nothing else moves. */
  readonly seed?: number;
  /** "queued" unless told otherwise. */
  readonly play?: PlayMode | "none";
}

export type EditOptions = Pick<DirectOptions, "play">;

/** The line as it should read, or words of the take that shall read otherwise. */
export type EditRequest = { readonly text: string } | { readonly changes: readonly WordChange[] };

/** What a take is made with; `parent` is the take that it starts from. */
export interface TakeOptions extends SpeakOptions {
  readonly parent?: Take;
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
      /** From the server having read what asked for it to its first packet; see `queuedMs`. */
      readonly firstAudioMs: number | undefined;
      /** From the same moment to all its sound made, over its length. */
      readonly rtf: number | undefined;
      /** What of both it waited its turn; 0 for most, undefined where that is not known. */
      readonly queuedMs: number | undefined;
      /** How it was made, for whoever measures. */
      readonly made: Made | undefined;
      readonly underruns: UnderrunSummary | undefined;
      /** What is not the parent's sound; undefined where all of it is new. */
      readonly changed: readonly TimeSpan[] | undefined;
      /** What a recogniser made of an edit; undefined where none listened. */
      readonly heard: Recognised | undefined;
    }
  | {
      readonly outcome: "cancelled";
      readonly sentMs: number | undefined;
      readonly heard: string | undefined;
      readonly rest: string | undefined;
    };

/** How the server made a take; undefined what it did not note. */
export interface Made {
  /** From the server having read what asked for it until its first window began to be decoded. */
  readonly framesMs: number | undefined;
  /** Codec frames of its first windows, in order. */
  readonly windows: readonly number[];
  /** From its first packet made to the first written. */
  readonly heldMs: number | undefined;
}

/** A stretch of a take. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

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
