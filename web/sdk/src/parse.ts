import { ProtocolError } from "./errors";
import type {
  AudioInfo,
  EngineInfo,
  ServerMessage,
  SessionOpened,
  TakeDone,
  UnderrunSummary,
  VoiceInfo,
  WireWord,
} from "./messages";

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
  "take.started": (m) => ({
    type: "take.started",
    take_id: m.string("take_id"),
    line_id: m.string("line_id"),
    stream: m.number("stream"),
    voice: m.string("voice"),
    kind: m.string("kind"),
    text: m.string("text"),
    reply_to: m.maybeString("reply_to"),
  }),
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
  warning: (m) => ({
    type: "warning",
    code: m.string("code"),
    message: m.string("message"),
    take_id: m.maybeString("take_id"),
    reply_to: m.maybeString("reply_to"),
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
  };
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

type Json = Readonly<Record<string, unknown>>;

/** Typed reading of a JSON object; every failure names the field by its whole path. */
class Fields {
  private constructor(
    readonly raw: Json,
    private readonly path: string,
  ) {}

  static of(value: unknown, path: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new ProtocolError(`${path} should be an object.`, path);
    }
    return new Fields(value as Json, path);
  }

  string(key: string): string {
    return this.maybeString(key) ?? this.missing(key);
  }

  number(key: string): number {
    return this.maybeNumber(key) ?? this.missing(key);
  }

  object(key: string): Fields {
    return this.maybeObject(key) ?? this.missing(key);
  }

  maybeString(key: string): string | undefined {
    const value = this.raw[key] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(key, "a string");
  }

  maybeNumber(key: string): number | undefined {
    const value = this.raw[key] ?? undefined;
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
    throw this.wrong(key, "a number");
  }

  maybeBoolean(key: string): boolean | undefined {
    const value = this.raw[key] ?? undefined;
    if (value === undefined || typeof value === "boolean") return value;
    throw this.wrong(key, "true or false");
  }

  maybeObject(key: string): Fields | undefined {
    const value = this.raw[key] ?? undefined;
    return value === undefined ? undefined : Fields.of(value, this.at(key));
  }

  list(key: string): Fields[] {
    return this.array(key).map((item, i) => Fields.of(item, `${this.at(key)}[${i}]`));
  }

  strings(key: string): string[] {
    return this.array(key).filter((item) => typeof item === "string");
  }

  span(key: string): [number, number] {
    const [from, to] = this.array(key);
    if (typeof from === "number" && typeof to === "number" && from <= to) return [from, to];
    throw this.wrong(key, "a pair [from, to)");
  }

  private array(key: string): readonly unknown[] {
    const value = this.raw[key];
    if (Array.isArray(value)) return value;
    throw this.wrong(key, "a list");
  }

  private at(key: string): string {
    return this.path === "message" ? key : `${this.path}.${key}`;
  }

  private wrong(key: string, wanted: string): ProtocolError {
    return new ProtocolError(`${this.at(key)} should be ${wanted}.`, this.at(key));
  }

  private missing(key: string): never {
    throw new ProtocolError(`${this.at(key)} is missing.`, this.at(key));
  }
}
