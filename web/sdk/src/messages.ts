/** The wire, version 1: JSON messages as they travel, one type each. */

import type { WireMade } from "./made";
import type { Performance } from "./performance";

export type AudioFormat = "opus" | "pcm16";

export interface UnderrunReport {
  readonly at_ms: number;
  readonly ms: number;
}

/** Words [from, to) of a take shall read `text`: empty takes them out, from = to puts in. */
export interface WordChange {
  readonly words: readonly [from: number, to: number];
  readonly text: string;
}

export type ScriptFormat = "auto" | "plain" | "fountain" | "tags";

export type ClientMessage =
  | {
      readonly type: "session.open";
      readonly audio: { readonly format: AudioFormat; readonly frame_ms: number };
      readonly lead_ms?: number;
      readonly resume?: {
        readonly session_id: string;
        readonly token: string;
        readonly received: Readonly<Record<string, number>>;
      };
    }
  | {
      readonly type: "speak";
      readonly id: string;
      readonly text: string;
      readonly voice?: string;
      readonly line_id?: string;
      readonly speaker?: string;
      readonly direction?: string;
      readonly seed?: number;
      readonly more?: boolean;
    }
  | {
      readonly type: "direct";
      readonly id: string;
      readonly take_id: string;
      readonly direction: string;
      readonly seed?: number;
    }
  | {
      readonly type: "edit";
      readonly id: string;
      readonly take_id: string;
      readonly text?: string;
      readonly changes?: readonly WordChange[];
    }
  | { readonly type: "keep"; readonly id: string; readonly take_id: string }
  | {
      readonly type: "perform";
      readonly id: string;
      readonly script: string;
      readonly format?: ScriptFormat;
      readonly cast?: Readonly<Record<string, string>>;
      readonly directions?: Readonly<Record<string, string>>;
      readonly more?: boolean;
      readonly scene_id?: string;
    }
  | {
      readonly type: "append";
      readonly id: string;
      readonly take_id: string;
      readonly text: string;
    }
  | { readonly type: "finish"; readonly id: string; readonly take_id: string }
  | {
      readonly type: "cancel";
      readonly id: string;
      /** Without it: everything. */
      readonly take_id?: string;
      readonly played_ms?: number;
    }
  | {
      readonly type: "playback";
      readonly take_id: string;
      readonly played_ms: number;
      readonly underruns: readonly UnderrunReport[];
    }
  | { readonly type: "ping" }
  | { readonly type: "session.close" };

export interface VoiceInfo {
  readonly id: string;
  readonly name: string;
  /** A BCP 47 tag. */
  readonly language: string;
  readonly gender: string;
  readonly tags: readonly string[];
}

export interface EngineInfo {
  readonly family: string;
  readonly model: string;
  readonly frame_ms: number;
  readonly can: readonly string[];
}

/** `pre_skip` counts samples at `sample_rate`. */
export interface AudioInfo {
  readonly format: AudioFormat;
  readonly sample_rate: number;
  readonly channels: number;
  readonly pre_skip: number;
}

export interface SessionOpened {
  readonly type: "session.opened";
  readonly session_id: string;
  readonly token: string | undefined;
  readonly resumed: boolean;
  readonly limits: Readonly<Record<string, unknown>>;
  readonly voices: readonly VoiceInfo[];
  readonly engine: EngineInfo;
  readonly audio: AudioInfo;
}

/** Which words of a direction moved what; `scope` is the words of the line it is said of. */
export interface Moved {
  readonly words: string;
  /** By lever, or "pause" in seconds: before and after. Empty where all was as asked already. */
  readonly levers: Readonly<Record<string, readonly [before: number, after: number]>>;
  readonly scope: string | undefined;
}

export type TakeKind = "spoken" | "directed" | "edited";

/** `pause_ms`: silence that belongs before the take in its scene. */
export interface TakeStarted {
  readonly type: "take.started";
  readonly take_id: string;
  readonly line_id: string;
  readonly stream: number;
  readonly voice: string;
  readonly kind: TakeKind;
  readonly text: string;
  readonly performance: Performance | undefined;
  readonly speaker: string | undefined;
  readonly scene_id: string | undefined;
  readonly parent: string | undefined;
  readonly direction: string | undefined;
  readonly moved: readonly Moved[];
  readonly pause_ms: number;
  readonly reply_to: string | undefined;
}

/** `span` counts code points of the text as it was written. */
export interface WireWord {
  readonly index: number;
  readonly text: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly span: readonly [number, number];
}

export interface TakeWords {
  readonly type: "take.words";
  readonly take_id: string;
  readonly words: readonly WireWord[];
}

export interface UnderrunSummary {
  readonly count: number;
  readonly total_ms: number;
  readonly longest_ms: number;
  readonly source: string;
}

export interface WireSpan {
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface TakeDone {
  readonly type: "take.done";
  readonly take_id: string;
  readonly samples: number;
  readonly duration_ms: number;
  readonly first_audio_ms: number | undefined;
  readonly rtf: number | undefined;
  readonly underruns: UnderrunSummary | undefined;
  readonly performance: Performance | undefined;
  /** The spans that are not the parent's sound; undefined where all of it is new. */
  readonly changed: readonly WireSpan[] | undefined;
  /** What a recogniser made of an edit; undefined where none listened. */
  readonly heard: Recognised | undefined;
  /** From the command read until the engine had it; 0 where it did not wait its turn. */
  readonly queued_ms: number;
  readonly made: WireMade | undefined;
}

export interface Recognised {
  /** Whether the changed words and those beside them were heard as they read. */
  readonly right: boolean;
  /** Heard in the changed words' place. */
  readonly words: string;
  /** How often the edit was made. */
  readonly tries: number;
}

export interface TakeCancelled {
  readonly type: "take.cancelled";
  readonly take_id: string;
  readonly sent_ms: number | undefined;
  readonly heard: string | undefined;
  readonly rest: string | undefined;
}

export interface TakeFailed {
  readonly type: "take.failed";
  readonly take_id: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** The take is its line's now. */
export interface TakeKept {
  readonly type: "take.kept";
  readonly take_id: string;
  readonly line_id: string;
  readonly reply_to: string | undefined;
}

export interface SceneLine {
  readonly line_id: string;
  readonly speaker: string;
  readonly voice: string;
  readonly text: string;
  /** Written to be said at the same time as the line before it. */
  readonly dual: boolean;
}

/** Lines of a scene, in order, before any of them is spoken; the first is its `first`th from 0. */
export interface SceneStarted {
  readonly type: "scene.started";
  readonly scene_id: string;
  readonly lines: readonly SceneLine[];
  readonly first: number;
  readonly reply_to: string | undefined;
}

/** `lines`: how many were spoken to their end. */
export interface SceneDone {
  readonly type: "scene.done";
  readonly scene_id: string;
  readonly lines: number;
  readonly cancelled: boolean;
  readonly reply_to: string | undefined;
}

export interface Warned {
  readonly type: "warning";
  readonly code: string;
  readonly message: string;
  readonly take_id: string | undefined;
  readonly reply_to: string | undefined;
  /** Of a take that is queued: about how long it will wait, where that is known. */
  readonly seconds: number | undefined;
}

export interface Refused {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly field: string | undefined;
  readonly reply_to: string | undefined;
}

export interface Draining {
  readonly type: "session.draining";
  readonly time_left_ms: number;
}

export type TakeMessage = TakeStarted | TakeWords | TakeDone | TakeCancelled | TakeFailed;

export type ServerMessage =
  | SessionOpened
  | TakeMessage
  | TakeKept
  | SceneStarted
  | SceneDone
  | Warned
  | Refused
  | Draining
  | { readonly type: "pong" }
  | { readonly type: "session.closed" };
