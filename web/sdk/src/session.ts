import { SessionCore } from "./core";
import { decodedRate } from "./decode/decode";
import { Desk } from "./desk";
import { Emitter } from "./emitter";
import { closeReason, VoiceError } from "./errors";
import { Library } from "./library";
import { Link } from "./link";
import { Listening } from "./listening";
import type {
  AudioFormat,
  Refused,
  ServerMessage,
  SessionOpened,
  TakeKept,
  Warned,
} from "./messages";
import { assertNever } from "./never";
import type { Playback } from "./playout/playback";
import type { SoundOptions } from "./playout/sound-output";
import type { Recording } from "./recording";
import type { PerformOptions, Scene } from "./scene";
import type { SessionTicket, StoredLine, StoredSession, StoredTake } from "./stored";
import type { Take } from "./take";
import type { SpeakOptions } from "./take-types";

export interface SessionOptions extends SoundOptions {
  readonly format?: AudioFormat;
  /** Length of an Opus packet: 20, 40 or 60 ms. */
  readonly frameMs?: 20 | 40 | 60;
}

export type SessionState =
  | { readonly name: "connecting" }
  | { readonly name: "open"; readonly opened: SessionOpened }
  | { readonly name: "reconnecting"; readonly reason: string; readonly retryInMs: number }
  | { readonly name: "closed"; readonly reason: string };

export interface SessionEvents {
  state: SessionState;
  warning: { readonly warning: Warned; readonly take: Take | undefined };
  /** An error that belongs to no take; a take's own comes through `take.done`. */
  error: VoiceError;
  draining: { readonly timeLeftMs: number };
  /** A take is its line's now, whoever asked for it. */
  kept: { readonly takeId: string; readonly lineId: string };
}

/** One person's work at a server: opens, speaks, plays, and comes back after a drop. */
export class Session extends Emitter<SessionEvents> {
  state: SessionState = { name: "connecting" };
  private readonly core = new SessionCore();
  private readonly link: Link;
  private readonly listening: Listening;
  private readonly desk: Desk;
  private readonly library: Library;

  constructor(
    url: string,
    private readonly options: SessionOptions = {},
  ) {
    super();
    this.library = new Library(url);
    this.link = new Link(url, {
      up: () => this.greet(),
      received: (data) => this.receive(data),
      down: (code, reason, retryInMs) => this.down(closeReason(code, reason), retryInMs),
    });
    this.listening = new Listening(() => this.core.opened, options, {
      report: (report) => this.link.send(this.core.write("playback", report)),
      failed: (error) => this.emit("error", error),
    });
    this.desk = new Desk(this.core, {
      opened: () => this.connected(),
      send: (text) => this.link.send(text),
      play: (take, mode, pauseMs) => void this.listening.play(take, mode, pauseMs),
    });
  }

  /** Begins to connect, also again after `closed`, and goes on trying; `state` says how it goes. */
  start(): void {
    this.become({ name: "connecting" });
    this.link.start();
  }

  /** What the server said when the session was opened. */
  get opened(): SessionOpened | undefined {
    return this.core.opened;
  }

  /**
   * Asks for a take, which is heard while it is still being made.
   *
   * @throws VoiceError `not_connected` while there is no connection.
   */
  speak(text: string, options: SpeakOptions = {}): Take {
    return this.desk.speak(text, options);
  }

  /**
   * Has a script performed, line by line, in order; each line's take plays after the one before.
   *
   * @throws VoiceError `not_connected` while there is no connection.
   */
  perform(script: string, options: PerformOptions = {}): Scene {
    return this.desk.perform(script, options);
  }

  /** Plays a take, or any recording, again from the sound that is already here. */
  replay(recording: Recording): Promise<Playback> {
    return this.listening.replay(recording);
  }

  /**
   * Opens the sound output ahead of the first take. Call it from a click or a key press.
   *
   * @throws VoiceError where the browser gives no sound to this page.
   */
  openOutput(): Promise<void> {
    return this.listening.open();
  }

  /** Where this session can be had as a file that `openFile` takes, sound and all. */
  get fileAddress(): string | undefined {
    return this.opened && this.library.address(this.opened.session_id);
  }

  /**
   * Leaves this session, which the server keeps, for the one in a file; `recall` gives its takes.
   *
   * @throws VoiceError where the file is no session, or too large for the server.
   */
  async openFile(file: Blob): Promise<StoredSession> {
    const most = this.connected().limits.session_bytes;
    if (typeof most === "number" && file.size > most) {
      throw new VoiceError("too_large", `A session's file may have ${most} bytes.`);
    }
    const ticket = await this.library.open(file);
    await this.takeUp(ticket);
    return this.library.session(ticket.sessionId);
  }

  /**
   * Leaves this session for one that was left before.
   *
   * @throws VoiceError `not_resumed` where it is over, or open elsewhere.
   */
  async takeUp(ticket: SessionTicket): Promise<void> {
    this.stop();
    this.desk.abandon("Another session was opened.");
    this.core.want(ticket);
    const opened = this.nextOpened();
    this.link.restart("Another session is being opened.");
    if ((await opened).session_id !== ticket.sessionId) {
      throw new VoiceError("not_resumed", "The session is over, or open elsewhere.");
    }
  }

  /** A take of the session that was made before; its sound is fetched when it is first played. */
  recall(stored: StoredTake, line: StoredLine, parent?: Take): Take {
    const rate = decodedRate(this.connected().audio);
    return this.desk.recall(stored, line, parent, this.library.recording(stored.id, rate));
  }

  /** Stops all that plays or is being made. */
  stop(): void {
    this.desk.stop();
    this.listening.stopAll();
  }

  /** Ends the session for good. */
  close(): void {
    this.link.send(this.core.write("session.close", {}));
    this.link.close();
    this.desk.abandon("The session is closed.");
    this.listening.close();
    this.become({ name: "closed", reason: "The session is closed." });
  }

  private nextOpened(): Promise<SessionOpened> {
    return new Promise((resolve, reject) => {
      const off = this.on("state", (state) => {
        if (state.name === "open") resolve(state.opened);
        else if (state.name === "closed") reject(new VoiceError("not_connected", state.reason));
        else return;
        off();
      });
    });
  }

  private connected(): SessionOpened {
    const { opened } = this.core;
    if (this.state.name === "open" && opened !== undefined) return opened;
    throw new VoiceError("not_connected", "There is no connection to the voice server.");
  }

  private greet(): void {
    const { format = "opus", frameMs = 20, leadMs } = this.options;
    this.link.send(
      this.core.open({ format, frameMs, ...(leadMs === undefined ? {} : { leadMs }) }),
    );
  }

  private receive(data: string | ArrayBuffer): void {
    const received = this.core.receive(data);
    if (received === undefined) return;
    switch (received.kind) {
      case "packet":
        return this.desk.hear(received.takeId)?.hear(received.frame);
      case "message":
        return this.follow(received.message);
      case "fault":
        return this.emit("error", received.error);
      default:
        return assertNever(received);
    }
  }

  private follow(message: ServerMessage): void {
    switch (message.type) {
      case "session.opened":
        return this.open(message);
      case "take.started":
      case "take.words":
      case "take.done":
      case "take.cancelled":
      case "take.failed":
        return this.desk.follow(message);
      case "take.kept":
        return this.kept(message);
      case "scene.started":
        return this.desk.begin(message);
      case "scene.done":
        return this.desk.end(message);
      case "warning":
        return this.warn(message);
      case "error":
        return this.refuse(message);
      case "session.draining":
        return this.emit("draining", { timeLeftMs: message.time_left_ms });
      case "session.closed":
        // The close code that follows says whether to come back.
        return this.desk.abandon("The session was ended by the server.");
      case "pong":
        return;
      default:
        return assertNever(message);
    }
  }

  private open(opened: SessionOpened): void {
    this.link.settled();
    if (!opened.resumed) this.desk.abandon("The connection was lost while this was being made.");
    this.become({ name: "open", opened });
  }

  private refuse(refused: Refused): void {
    if (this.desk.refuse(refused)) return;
    if (this.state.name !== "open" && this.core.opened !== undefined) {
      // What was to be resumed is gone; the next greeting asks for a new session.
      this.core.forget();
      return this.greet();
    }
    this.emit("error", new VoiceError(refused.code, refused.message, refused.field));
  }

  private down(reason: string, retryInMs: number | undefined): void {
    if (this.state.name === "closed") return;
    if (retryInMs === undefined || !this.core.resumable) this.desk.abandon(reason);
    if (retryInMs === undefined) return this.become({ name: "closed", reason });
    this.become({ name: "reconnecting", reason, retryInMs });
  }

  private become(state: SessionState): void {
    this.state = state;
    this.emit("state", state);
  }

  private warn(warning: Warned): void {
    if (!this.desk.heeds(warning)) return;
    this.emit("warning", { warning, take: this.desk.subject(warning) });
  }

  private kept(message: TakeKept): void {
    this.desk.kept(message);
    this.emit("kept", { takeId: message.take_id, lineId: message.line_id });
  }
}
