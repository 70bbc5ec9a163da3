import { SessionCore } from "./core";
import { deferred } from "./deferred";
import { Emitter } from "./emitter";
import { closeReason, VoiceError } from "./errors";
import type { AudioFrame } from "./frame";
import { Link } from "./link";
import type {
  AudioFormat,
  Refused,
  ServerMessage,
  SessionOpened,
  TakeMessage,
  Warned,
} from "./messages";
import { assertNever } from "./never";
import type { Playback } from "./playout/playback";
import { type SoundOptions, SoundOutput } from "./playout/sound-output";
import { Recording } from "./recording";
import { PlaybackReporter } from "./reporter";
import { type SpeakOptions, Take, type TakeHost } from "./take";

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
}

/** One person's work at a server: opens, speaks, plays, and comes back after a drop. */
export class Session extends Emitter<SessionEvents> implements TakeHost {
  state: SessionState = { name: "connecting" };
  private readonly core = new SessionCore();
  private readonly link: Link;
  private readonly takes = new Map<string, Take>();
  private readonly reporter: PlaybackReporter;
  private readonly output: SoundOutput;

  constructor(
    url: string,
    private readonly options: SessionOptions = {},
  ) {
    super();
    this.link = new Link(url, {
      up: () => this.greet(),
      received: (data) => this.receive(data),
      down: (code, reason, retryInMs) => this.down(closeReason(code, reason), retryInMs),
    });
    this.output = new SoundOutput(() => this.core.opened, options);
    this.reporter = new PlaybackReporter((report) =>
      this.link.send(this.core.write("playback", report)),
    );
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
    const { opened } = this.core;
    if (this.state.name !== "open" || opened === undefined) {
      throw new VoiceError("not_connected", "There is no connection to the voice server.");
    }
    const mark = this.mark("speak");
    const take = new Take(this, mark, text, options, new Recording(opened.audio));
    this.takes.set(mark, take);
    take.on("settled", () => this.takes.delete(mark));
    this.link.send(this.core.write("speak", { id: mark, text, ...speakFields(options) }));
    void this.play(take, options.play ?? "queued");
    return take;
  }

  /** Plays a take, or any recording, again from the sound that is already here. */
  async replay(recording: Recording): Promise<Playback> {
    return (await this.output.open()).play(recording);
  }

  /**
   * Opens the sound output ahead of the first take. Call it from a click or a key press.
   *
   * @throws VoiceError where the browser gives no sound to this page.
   */
  async openOutput(): Promise<void> {
    await this.output.open();
  }

  append(take: Take, text: string): void {
    if (take.id === undefined) return;
    this.link.send(this.core.write("append", { id: this.mark("append"), take_id: take.id, text }));
  }

  finish(take: Take): void {
    if (take.id === undefined) return;
    this.link.send(this.core.write("finish", { id: this.mark("finish"), take_id: take.id }));
  }

  cancel(take: Take, playedMs: number | undefined): void {
    if (take.id === undefined) return;
    const played = playedMs === undefined ? {} : { played_ms: playedMs };
    const command = { id: this.mark("cancel"), take_id: take.id, ...played };
    this.link.send(this.core.write("cancel", command));
  }

  /** Stops all that plays or is being made. */
  stop(): void {
    for (const take of [...this.takes.values()]) take.cancel();
    this.output.stopAll();
  }

  /** Ends the session for good. */
  close(): void {
    this.link.send(this.core.write("session.close", {}));
    this.link.close();
    this.abandonTakes("The session is closed.");
    this.reporter.close();
    this.output.close();
    this.become({ name: "closed", reason: "The session is closed." });
  }

  private mark(command: string): string {
    return `${command}-${this.core.mark()}`;
  }

  private async play(take: Take, mode: SpeakOptions["play"]): Promise<void> {
    if (mode === "none") return take.unplayed();
    try {
      const player = await this.output.open();
      if (take.state === "failed") return take.unplayed();
      const playback = player.play(take.recording, mode);
      take.attach(playback);
      this.reporter.follow(take, playback);
    } catch (error) {
      take.unplayed();
      this.emit("error", error as VoiceError);
    }
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
        return this.find(received.takeId)?.hear(received.frame as AudioFrame);
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
        return this.takeOf(message)?.follow(message);
      case "warning":
        return this.emit("warning", { warning: message, take: this.subject(message) });
      case "error":
        return this.refuse(message);
      case "session.draining":
        return this.emit("draining", { timeLeftMs: message.time_left_ms });
      case "session.closed":
        // The close code that follows says whether to come back.
        return this.abandonTakes("The session was ended by the server.");
      case "pong":
        return;
      default:
        return assertNever(message);
    }
  }

  private open(opened: SessionOpened): void {
    this.link.settled();
    if (!opened.resumed) this.abandonTakes("The connection was lost while this was being made.");
    this.become({ name: "open", opened });
  }

  private refuse(refused: Refused): void {
    const error = new VoiceError(refused.code, refused.message, refused.field);
    const asked = refused.reply_to === undefined ? undefined : this.takes.get(refused.reply_to);
    if (asked !== undefined) return asked.fail(error);
    // A cancel that crosses the take's end is no news to anyone.
    if (refused.reply_to?.startsWith("cancel-")) return;
    if (this.state.name !== "open" && this.core.opened !== undefined) {
      // What was to be resumed is gone; the next greeting asks for a new session.
      this.core.forget();
      return this.greet();
    }
    this.emit("error", error);
  }

  private down(reason: string, retryInMs: number | undefined): void {
    if (this.state.name === "closed") return;
    if (retryInMs === undefined || !this.core.resumable) this.abandonTakes(reason);
    if (retryInMs === undefined) return this.become({ name: "closed", reason });
    this.become({ name: "reconnecting", reason, retryInMs });
  }

  private become(state: SessionState): void {
    this.state = state;
    this.emit("state", state);
  }

  private abandonTakes(reason: string): void {
    for (const take of [...this.takes.values()]) {
      take.fail(new VoiceError("connection_lost", reason));
    }
  }

  private takeOf(message: TakeMessage): Take | undefined {
    if (message.type !== "take.started") return this.find(message.take_id);
    return this.takes.get(message.reply_to ?? "") ?? this.find(message.take_id);
  }

  private find(takeId: string): Take | undefined {
    return [...this.takes.values()].find((take) => take.id === takeId);
  }

  private subject({ take_id, reply_to }: Warned): Take | undefined {
    return (take_id && this.find(take_id)) || (reply_to && this.takes.get(reply_to)) || undefined;
  }
}

/**
 * Opens a session.
 *
 * @throws VoiceError when the server can't be reached or does not take us in.
 */
export async function connect(url: string, options: SessionOptions = {}): Promise<Session> {
  const session = new Session(url, options);
  const opening = deferred<void>();
  const off = session.on("state", (state) => {
    if (state.name === "open") opening.resolve();
    else if (state.name !== "connecting") {
      opening.reject(new VoiceError("not_connected", state.reason));
    }
  });
  session.start();
  try {
    await opening.promise;
  } catch (error) {
    session.close();
    throw error;
  } finally {
    off();
  }
  return session;
}

function speakFields({ voice, more, lineId, speaker, direction, seed }: SpeakOptions) {
  return {
    ...(voice === undefined ? {} : { voice }),
    ...(more ? { more } : {}),
    ...(lineId === undefined ? {} : { line_id: lineId }),
    ...(speaker === undefined ? {} : { speaker }),
    ...(direction === undefined ? {} : { direction }),
    ...(seed === undefined ? {} : { seed }),
  };
}
