import { Fields } from "./fields";
import type { Recognised, TakeKind, WireWord } from "./messages";
import { type Performance, readPerformance } from "./performance";
import { readRecognised } from "./recognised";
import type { TakeResult } from "./take-types";

/** What lets somebody go on with a session that was left. */
export interface SessionTicket {
  readonly sessionId: string;
  readonly token: string;
}

/** A word of a stored take: samples from its start, and [from, to) into its text in code points. */
export interface StoredWord {
  readonly index: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly span: readonly [from: number, to: number];
}

export interface StoredTake {
  readonly id: string;
  readonly lineId: string;
  readonly kind: TakeKind;
  readonly voice: string;
  readonly text: string;
  readonly samples: number;
  readonly sampleRate: number;
  readonly words: readonly StoredWord[];
  /** Whether it was made to its end and has sound. */
  readonly audible: boolean;
  /** The id of the take that it starts from. */
  readonly parent: string | undefined;
  readonly direction: string | undefined;
  readonly performance: Performance | undefined;
  readonly heard: Recognised | undefined;
}

/** A line with its takes in the order they began; `kept` is the id of the one it was kept with. */
export interface StoredLine {
  readonly id: string;
  readonly text: string;
  readonly sceneId: string | undefined;
  readonly speaker: string | undefined;
  readonly kept: string | undefined;
  /** Written to be said at the same time as the line before it. */
  readonly dual: boolean;
  readonly takes: readonly StoredTake[];
}

export interface StoredScene {
  readonly id: string;
  readonly title: string;
  /** Speakers to voices. */
  readonly cast: ReadonlyMap<string, string>;
}

/** All of a session, as `/v1/sessions/{id}` tells it. */
export interface StoredSession {
  readonly id: string;
  readonly scenes: readonly StoredScene[];
  readonly lines: readonly StoredLine[];
}

/** @throws ProtocolError for a document that is no session. */
export function readStored(document: unknown): StoredSession {
  const session = Fields.of(document, "document").object("session");
  return {
    id: session.string("id"),
    scenes: session.list("scenes").map(readScene),
    lines: session.list("lines").map(readLine),
  };
}

function readScene(s: Fields): StoredScene {
  return { id: s.string("id"), title: s.string("title"), cast: new Map(s.textPairs("cast")) };
}

function readLine(l: Fields): StoredLine {
  return {
    id: l.string("id"),
    text: l.string("text"),
    sceneId: l.maybeString("scene_id"),
    speaker: l.maybeString("speaker"),
    kept: l.maybeString("kept"),
    dual: l.maybeBoolean("dual") ?? false,
    takes: l.list("takes").map(readTake),
  };
}

function readTake(t: Fields): StoredTake {
  const samples = t.number("samples");
  return {
    id: t.string("id"),
    lineId: t.string("line_id"),
    kind: t.string("kind") as TakeKind,
    voice: t.string("voice"),
    text: t.string("text"),
    samples,
    sampleRate: t.number("sample_rate"),
    words: t.list("words").map(readWord),
    audible: samples > 0 && t.string("state") === "done",
    parent: t.maybeString("parent"),
    direction: t.maybeString("direction"),
    performance: readPerformance(t.maybeObject("performance")),
    heard: readRecognised(t.maybeObject("heard")),
  };
}

function readWord(w: Fields): StoredWord {
  return {
    index: w.number("index"),
    text: w.string("text"),
    start: w.number("start"),
    end: w.number("end"),
    span: w.span("span"),
  };
}

/** Its words as a server tells them of a take under way. */
export function timedWords({ words, sampleRate }: StoredTake): WireWord[] {
  return words.map(({ index, text, span, start, end }) => ({
    index,
    text,
    span,
    start_ms: (1000 * start) / sampleRate,
    end_ms: (1000 * end) / sampleRate,
  }));
}

/** What is still known of how it ended. */
export function resultOf({ samples, sampleRate, heard }: StoredTake): TakeResult {
  return {
    outcome: "done",
    samples,
    durationMs: (1000 * samples) / sampleRate,
    firstAudioMs: undefined,
    rtf: undefined,
    queuedMs: undefined,
    made: undefined,
    underruns: undefined,
    changed: undefined,
    heard,
  };
}
