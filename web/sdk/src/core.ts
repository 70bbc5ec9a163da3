import { ProtocolError, VoiceError } from "./errors";
import { type AudioFrame, parseAudioFrame } from "./frame";
import type { AudioFormat, ClientMessage, ServerMessage, SessionOpened } from "./messages";
import { parseServerMessage } from "./parse";
import type { SessionTicket } from "./stored";

/** What came in, once it is understood. */
export type Received =
  | { readonly kind: "message"; readonly message: ServerMessage }
  | { readonly kind: "packet"; readonly takeId: string; readonly frame: AudioFrame }
  | { readonly kind: "fault"; readonly error: VoiceError };

export interface OpenOptions {
  readonly format: AudioFormat;
  readonly frameMs: number;
  readonly leadMs?: number;
}

interface Stream {
  readonly takeId: string;
  lastSeq: number | undefined;
}

type Command<T extends ClientMessage["type"]> = Omit<Extract<ClientMessage, { type: T }>, "type">;

/**
 * The client's side of `voice.v1` without any IO: give it what the socket read, send what it
 * writes. It owns the streams that are open, so that a resume can say how far each had come, and
 * that no packet is handed on twice or after its take has ended.
 */
export class SessionCore {
  private readonly streams = new Map<number, Stream>();
  private session: SessionOpened | undefined;
  private nextId = 1;
  private wanted: SessionTicket | undefined;

  /** The last `session.opened`, also while the connection is away. */
  get opened(): SessionOpened | undefined {
    return this.session;
  }

  /** Whether the next `open` may get back what is under way. */
  get resumable(): boolean {
    const { token, limits } = this.session ?? {};
    const seconds = limits?.resume_s;
    return token !== undefined && typeof seconds === "number" && seconds > 0;
  }

  /** A mark for a message, by which its answers are known. */
  mark(): string {
    return `c${this.nextId++}`;
  }

  /** The first message of a connection; resumes where a session with a token is at hand. */
  open(options: OpenOptions): string {
    const resume = this.resume();
    return JSON.stringify({
      type: "session.open",
      audio: { format: options.format, frame_ms: options.frameMs },
      ...(options.leadMs === undefined ? {} : { lead_ms: options.leadMs }),
      ...(resume ? { resume } : {}),
    });
  }

  write<T extends ClientMessage["type"]>(type: T, command: Command<T>): string {
    return JSON.stringify({ type, ...command });
  }

  /** Gives up the session: the next `open` starts a new one. */
  forget(): void {
    this.session = undefined;
    this.streams.clear();
  }

  /** Gives up the session for one that was left, which the next `open` asks for. */
  want(ticket: SessionTicket): void {
    this.forget();
    this.wanted = ticket;
  }

  /**
   * Takes one whole frame of the socket; text or binary.
   *
   * A frame that can't be read is a `fault`, and the session goes on. A packet that came before,
   * or of a take that is over, is passed over in silence: both are expected around a resume.
   */
  receive(data: string | ArrayBuffer): Received | undefined {
    try {
      return typeof data === "string" ? this.receiveText(data) : this.receiveAudio(data);
    } catch (error) {
      if (error instanceof VoiceError) return { kind: "fault", error };
      throw error;
    }
  }

  private resume() {
    if (this.wanted !== undefined) {
      const { sessionId: session_id, token } = this.wanted;
      return { session_id, token, received: {} };
    }
    if (this.session === undefined || !this.resumable) return undefined;
    const { session_id, token } = this.session;
    const received: Record<string, number> = {};
    for (const [stream, { lastSeq }] of this.streams) {
      if (lastSeq !== undefined) received[stream] = lastSeq;
    }
    return { session_id, token, received };
  }

  private receiveText(text: string): Received | undefined {
    const message = parseServerMessage(text);
    if (message === undefined) return undefined;
    this.follow(message);
    return { kind: "message", message };
  }

  private follow(message: ServerMessage): void {
    switch (message.type) {
      case "session.opened":
        if (!message.resumed) this.streams.clear();
        this.session = message;
        this.wanted = undefined;
        break;
      case "take.started":
        this.start(message.stream, message.take_id);
        break;
      case "take.done":
      case "take.cancelled":
      case "take.failed":
        this.endStream(message.take_id);
        break;
      case "session.closed":
        this.forget();
        break;
    }
  }

  private start(stream: number, takeId: string): void {
    // A resume may tell of a take anew; what was received of it still counts.
    if (this.streams.get(stream)?.takeId === takeId) return;
    this.streams.set(stream, { takeId, lastSeq: undefined });
  }

  private endStream(takeId: string): void {
    for (const [number, stream] of this.streams) {
      if (stream.takeId === takeId) this.streams.delete(number);
    }
  }

  private receiveAudio(data: ArrayBuffer): Received | undefined {
    const frame = parseAudioFrame(data);
    const stream = this.streams.get(frame.stream);
    if (stream === undefined) return undefined;
    if (stream.lastSeq !== undefined && frame.seq <= stream.lastSeq) return undefined;
    const wanted = stream.lastSeq === undefined ? frame.seq : stream.lastSeq + 1;
    stream.lastSeq = frame.seq;
    if (frame.seq !== wanted) {
      throw new ProtocolError(
        `Sound is missing: packet ${wanted} of stream ${frame.stream} never came.`,
      );
    }
    return { kind: "packet", takeId: stream.takeId, frame };
  }
}
