import { Answers } from "./answers";
import type { SessionCore } from "./core";
import { VoiceError } from "./errors";
import type {
  Refused,
  SceneDone,
  SceneStarted,
  SessionOpened,
  TakeKept,
  TakeMessage,
  TakeStarted,
  Warned,
} from "./messages";
import type { PlayMode } from "./playout/playout";
import { Recording } from "./recording";
import { editFields, performFields, speakFields } from "./requests";
import { type PerformOptions, Scene, type SceneHost } from "./scene";
import { SceneBook } from "./scene-book";
import type { StoredLine, StoredTake } from "./stored";
import { Take, type TakeHost } from "./take";
import { TakeBook } from "./take-book";
import type {
  DirectOptions,
  EditOptions,
  EditRequest,
  SpeakOptions,
  TakeOptions,
} from "./take-types";

/** What the desk needs of its session. */
export interface DeskLine {
  /** What the session was opened with. @throws VoiceError `not_connected`. */
  opened(): SessionOpened;
  send(text: string): void;
  play(take: Take, mode: PlayMode | "none", pauseMs: number): void;
}

/** Where takes and scenes are asked for, and where what the server says of them is handed on. */
export class Desk implements TakeHost, SceneHost {
  private readonly takes = new TakeBook();
  private readonly scenes = new SceneBook();
  private readonly answers = new Answers();

  constructor(
    private readonly core: SessionCore,
    private readonly line: DeskLine,
  ) {}

  speak(text: string, options: SpeakOptions): Take {
    const take = this.take("speak", text, options);
    this.line.send(this.core.write("speak", { id: take.mark, text, ...speakFields(options) }));
    return take;
  }

  perform(script: string, options: PerformOptions): Scene {
    this.line.opened();
    const scene = new Scene(this, this.mark("perform"), options);
    this.scenes.add(scene);
    const command = { id: scene.mark, script, ...performFields(options) };
    this.line.send(this.core.write("perform", command));
    return scene;
  }

  async extend(sceneId: string, script: string, more: boolean): Promise<void> {
    this.line.opened();
    const id = this.mark("perform");
    const answer = this.answers.wait(id);
    const command = { id, script, ...performFields({ more, sceneId }) };
    this.line.send(this.core.write("perform", command));
    return answer;
  }

  direct(parent: Take, direction: string, { seed, play }: DirectOptions): Take {
    const take = this.take("direct", parent.text, { ...heirOf(parent, play), direction });
    const more = seed === undefined ? {} : { seed };
    this.derive(take, parent, (take_id) =>
      this.core.write("direct", { id: take.mark, take_id, direction, ...more }),
    );
    return take;
  }

  edit(parent: Take, request: EditRequest, { play }: EditOptions): Take {
    const text = "text" in request ? request.text : parent.text;
    const take = this.take("edit", text, heirOf(parent, play));
    this.derive(take, parent, (take_id) =>
      this.core.write("edit", { id: take.mark, take_id, ...editFields(request) }),
    );
    return take;
  }

  /** A take that was made before this page knew of the session; `recording` has its sound. */
  recall(
    stored: StoredTake,
    line: StoredLine,
    parent: Take | undefined,
    recording: Recording,
  ): Take {
    const { voice, direction } = stored;
    const options = {
      voice,
      lineId: line.id,
      ...(line.speaker === undefined ? {} : { speaker: line.speaker }),
      ...(direction === undefined ? {} : { direction }),
      ...(parent === undefined ? {} : { parent }),
    };
    const take = new Take(this, this.mark("recall"), stored.text, options, recording);
    take.restore(stored);
    return take;
  }

  async keep({ id: take_id }: Take): Promise<void> {
    this.line.opened();
    if (take_id === undefined) throw neverMade();
    const id = this.mark("keep");
    const answer = this.answers.wait(id);
    this.line.send(this.core.write("keep", { id, take_id }));
    return answer;
  }

  append(take: Take, text: string): void {
    if (take.id === undefined) return;
    this.line.send(this.core.write("append", { id: this.mark("append"), take_id: take.id, text }));
  }

  finish(take: Take): void {
    if (take.id === undefined) return;
    this.line.send(this.core.write("finish", { id: this.mark("finish"), take_id: take.id }));
  }

  cancel(take: Take, playedMs: number | undefined): void {
    if (take.id === undefined) return;
    const played = playedMs === undefined ? {} : { played_ms: playedMs };
    const command = { id: this.mark("cancel"), take_id: take.id, ...played };
    this.line.send(this.core.write("cancel", command));
  }

  /** Stops all that is being made, and the lines of a scene that are still to come. */
  stop(): void {
    const performing = this.scenes.stop();
    for (const take of this.takes.all) take.cancel();
    if (performing) this.line.send(this.core.write("cancel", { id: this.mark("cancel") }));
  }

  follow(message: TakeMessage): void {
    this.takeOf(message)?.follow(message);
  }

  hear(takeId: string): Take | undefined {
    return this.takes.byId(takeId);
  }

  kept({ reply_to }: TakeKept): void {
    this.answers.yes(reply_to);
  }

  begin(message: SceneStarted): void {
    this.scenes.start(message);
    this.answers.yes(message.reply_to);
  }

  end(message: SceneDone): void {
    this.scenes.finish(message);
  }

  /** Tells whoever asked for what was refused; @returns whether that is known. */
  refuse({ reply_to, code, message, field }: Refused): boolean {
    const error = new VoiceError(code, message, field);
    const asked = this.takes.byMark(reply_to) ?? this.scenes.byMark(reply_to);
    asked?.fail(error);
    return asked !== undefined || isCancel(reply_to) || this.answers.no(reply_to, error);
  }

  /** Whether there is news in it: a cancel that crosses the end of what it stops is none. */
  heeds({ reply_to }: Warned): boolean {
    return !isCancel(reply_to);
  }

  subject({ take_id, reply_to }: Warned): Take | undefined {
    return this.takes.byId(take_id) ?? this.takes.byMark(reply_to);
  }

  /** Nothing more will be heard of what is under way. */
  abandon(reason: string): void {
    const error = new VoiceError("connection_lost", reason);
    this.takes.failAll(error);
    this.scenes.failAll(error);
    this.answers.failAll(error);
  }

  private mark(command: string): string {
    return `${command}-${this.core.mark()}`;
  }

  /** A new take, under way and on its way to the listener. */
  private take(command: string, text: string, options: TakeOptions, pauseMs = 0): Take {
    const { audio } = this.line.opened();
    const take = new Take(this, this.mark(command), text, options, new Recording(audio));
    this.takes.add(take);
    this.line.play(take, options.play ?? "queued", pauseMs);
    return take;
  }

  /** Asks for a take that starts from another, as soon as that one is made. */
  private derive(take: Take, parent: Take, write: (parentId: string) => string): void {
    const ask = () => {
      if (take.settled) return;
      if (parent.id === undefined) take.fail(neverMade());
      else this.line.send(write(parent.id));
    };
    if (parent.settled) ask();
    else parent.on("settled", ask);
  }

  private takeOf(message: TakeMessage): Take | undefined {
    const known = this.takes.byId(message.take_id);
    if (known !== undefined || message.type !== "take.started") return known;
    return this.takes.byMark(message.reply_to) ?? this.lineOf(message);
  }

  /** The take of a scene's line, which nobody asked for by itself. */
  private lineOf(message: TakeStarted): Take | undefined {
    const scene = this.scenes.byId(message.scene_id);
    if (scene === undefined) return undefined;
    const { text, voice, line_id: lineId, pause_ms } = message;
    const play = scene.stopped ? "none" : (scene.options.play ?? "queued");
    const speaker = message.speaker === undefined ? {} : { speaker: message.speaker };
    const take = this.take("line", text, { voice, lineId, play, ...speaker }, pause_ms);
    scene.add(take);
    return take;
  }
}

/** A cancel that crosses the end of what it stops is no news to anyone. */
function isCancel(mark: string | undefined): boolean {
  return mark?.startsWith("cancel-") ?? false;
}

function neverMade(): VoiceError {
  return new VoiceError("no_parent", "The take that this starts from was never made.");
}

/** What a take has of the one that it starts from. */
function heirOf(parent: Take, play: PlayMode | "none" = "queued"): TakeOptions {
  const { voice, lineId, speaker } = parent;
  return {
    parent,
    play,
    ...(voice === undefined ? {} : { voice }),
    ...(lineId === undefined ? {} : { lineId }),
    ...(speaker === undefined ? {} : { speaker }),
  };
}
