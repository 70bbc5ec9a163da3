import { ProtocolError } from "./errors";
import { Fields } from "./fields";
import { readMade } from "./made";
import type {
  AudioInfo,
  EngineInfo,
  Moved,
  SceneLine,
  ServerMessage,
  SessionOpened,
  TakeDone,
  TakeKind,
  TakeStarted,
  UnderrunSummary,
  VoiceInfo,
  WireSpan,
  WireWord,
} from "./messages";
import { readPerformance } from "./performance";
import { readRecognised } from "./recognised";

/**
 * Reads one text frame of the server.
 *
 * @returns undefined for a `type` of a later version, which a client may pass over.
 * @throws ProtocolError naming the field that is missing or of the wrong kind.
 */
export function parseServerMessage(text: string): ServerMessage | undefined {
  const message = Fields.of(parseJson(text), "message");
  const type = message.string("type");
  return Object.hasOwn(READERS, type) ? READERS[type]?.(message) : undefined;
}

const READERS: Readonly<Record<string, (m: Fields) => ServerMessage>> = {
  "session.opened": readOpened,
  "take.started": readStarted,
  "take.words": (m) => ({
    type: "take.words",
    take_id: m.string("take_id"),
    words: m.list("words").map(readWord),
  }),
  "take.done": readDone,
  "take.cancelled": (m) => ({
    type: "take.cancelled",
    take_id: m.string("take_id"),
    sent_ms: m.maybeNumber("sent_ms"),
    heard: m.maybeString("heard"),
    rest: m.maybeString("rest"),
  }),
  "take.failed": (m) => {
    const error = m.object("error");
    return {
      type: "take.failed",
      take_id: m.string("take_id"),
      error: { code: error.string("code"), message: error.string("message") },
    };
  },
  "take.kept": (m) => ({
    type: "take.kept",
    take_id: m.string("take_id"),
    line_id: m.string("line_id"),
    reply_to: m.maybeString("reply_to"),
  }),
  "scene.started": (m) => ({
    type: "scene.started",
    scene_id: m.string("scene_id"),
    lines: m.list("lines").map(readLine),
    first: m.maybeNumber("first") ?? 0,
    reply_to: m.maybeString("reply_to"),
  }),
  "scene.done": (m) => ({
    type: "scene.done",
    scene_id: m.string("scene_id"),
    lines: m.number("lines"),
    cancelled: m.maybeBoolean("cancelled") ?? false,
    reply_to: m.maybeString("reply_to"),
  }),
  warning: (m) => ({
    type: "warning",
    code: m.string("code"),
    message: m.string("message"),
    take_id: m.maybeString("take_id"),
    reply_to: m.maybeString("reply_to"),
    seconds: m.maybeNumber("seconds"),
  }),
  error: (m) => ({
    type: "error",
    code: m.string("code"),
    message: m.string("message"),
    field: m.maybeString("field"),
    reply_to: m.maybeString("reply_to"),
  }),
  "session.draining": (m) => ({ type: "session.draining", time_left_ms: m.number("time_left_ms") }),
  pong: () => ({ type: "pong" }),
  "session.closed": () => ({ type: "session.closed" }),
};

function readOpened(m: Fields): SessionOpened {
  return {
    type: "session.opened",
    session_id: m.string("session_id"),
    token: m.maybeString("token"),
    resumed: m.maybeBoolean("resumed") ?? false,
    limits: m.object("limits").raw,
    voices: m.list("voices").map(readVoice),
    engine: readEngine(m.object("engine")),
    audio: readAudio(m.object("audio")),
  };
}

function readVoice(v: Fields): VoiceInfo {
  return {
    id: v.string("id"),
    name: v.string("name"),
    language: v.string("language"),
    gender: v.string("gender"),
    tags: v.strings("tags"),
  };
}

function readEngine(e: Fields): EngineInfo {
  return {
    family: e.string("family"),
    model: e.string("model"),
    frame_ms: e.number("frame_ms"),
    can: e.strings("can"),
  };
}

function readAudio(a: Fields): AudioInfo {
  const format = a.string("format");
  if (format !== "opus" && format !== "pcm16") {
    throw new ProtocolError(`audio.format is "opus" or "pcm16"; got "${format}".`, "audio.format");
  }
  return {
    format,
    sample_rate: a.number("sample_rate"),
    channels: a.number("channels"),
    pre_skip: a.number("pre_skip"),
  };
}

const KINDS: readonly string[] = ["spoken", "directed", "edited"] satisfies TakeKind[];

function readStarted(m: Fields): TakeStarted {
  const kind = m.string("kind");
  if (!KINDS.includes(kind)) {
    throw new ProtocolError(`kind is one of ${KINDS.join(", ")}; got "${kind}".`, "kind");
  }
  return {
    type: "take.started",
    take_id: m.string("take_id"),
    line_id: m.string("line_id"),
    stream: m.number("stream"),
    voice: m.string("voice"),
    kind: kind as TakeKind,
    text: m.string("text"),
    performance: readPerformance(m.maybeObject("performance")),
    speaker: m.maybeString("speaker"),
    scene_id: m.maybeString("scene_id"),
    parent: m.maybeString("parent"),
    direction: m.maybeString("direction"),
    moved: m.has("moved") ? m.list("moved").map(readMoved) : [],
    pause_ms: m.maybeNumber("pause_ms") ?? 0,
    reply_to: m.maybeString("reply_to"),
  };
}

function readMoved(m: Fields): Moved {
  return {
    words: m.string("words"),
    levers: m.record("levers", (levers, name) => levers.pair(name)),
    scope: m.maybeString("scope"),
  };
}

function readLine(l: Fields): SceneLine {
  return {
    line_id: l.string("line_id"),
    speaker: l.string("speaker"),
    voice: l.string("voice"),
    text: l.string("text"),
    dual: l.maybeBoolean("dual") ?? false,
  };
}

function readWord(w: Fields): WireWord {
  return {
    index: w.number("index"),
    text: w.string("text"),
    start_ms: w.number("start_ms"),
    end_ms: w.number("end_ms"),
    span: w.span("span"),
  };
}

function readDone(m: Fields): TakeDone {
  return {
    type: "take.done",
    take_id: m.string("take_id"),
    samples: m.number("samples"),
    duration_ms: m.number("duration_ms"),
    first_audio_ms: m.maybeNumber("first_audio_ms"),
    rtf: m.maybeNumber("rtf"),
    underruns: readUnderruns(m.maybeObject("underruns")),
    performance: readPerformance(m.maybeObject("performance")),
    changed: m.has("changed") ? m.list("changed").map(readSpan) : undefined,
    heard: readRecognised(m.maybeObject("heard")),
    queued_ms: m.maybeNumber("queued_ms") ?? 0,
    made: readMade(m.maybeObject("made")),
  };
}

function readSpan(s: Fields): WireSpan {
  return { start_ms: s.number("start_ms"), end_ms: s.number("end_ms") };
}

function readUnderruns(u: Fields | undefined): UnderrunSummary | undefined {
  return (
    u && {
      count: u.number("count"),
      total_ms: u.number("total_ms"),
      longest_ms: u.number("longest_ms"),
      source: u.string("source"),
    }
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError("A text frame is one JSON object; this one is not JSON.");
  }
}
