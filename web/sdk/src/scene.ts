import { deferred } from "./deferred";
import { Emitter } from "./emitter";
import type { VoiceError } from "./errors";
import { Log } from "./log";
import type { SceneDone, SceneLine, SceneStarted, ScriptFormat } from "./messages";
import type { PlayMode } from "./playout/playout";
import type { Take } from "./take";

export interface PerformOptions {
  /** "auto" unless told otherwise: the server finds it out. */
  readonly format?: ScriptFormat;
  /** Voices by speaker; others get one that fits. */
  readonly cast?: Readonly<Record<string, string>>;
  /** Standing directions by speaker. */
  readonly directions?: Readonly<Record<string, string>>;
  readonly play?: PlayMode | "none";
}

export interface SceneResult {
  /** How many of its lines were spoken to their end. */
  readonly lines: number;
  readonly cancelled: boolean;
}

export interface SceneEvents {
  /** Its lines are known, before any of them is spoken. */
  started: readonly SceneLine[];
  /** A line's take begins to come. */
  take: Take;
}

/** A script as it is performed, line by line, in order. */
export class Scene extends Emitter<SceneEvents> {
  readonly lines: SceneLine[] = [];
  /** The lines' takes, in order, as they begin. */
  readonly takes = new Log<Take>();
  id: string | undefined;
  /** Set by the session when it is stopped: what still comes of it is not heard. */
  stopped = false;
  private readonly ending = deferred<SceneResult>();
  private over = false;

  constructor(
    readonly mark: string,
    readonly options: PerformOptions,
  ) {
    super();
  }

  /** Resolves when nothing more of it is spoken by itself; rejects with a VoiceError. */
  get done(): Promise<SceneResult> {
    return this.ending.promise;
  }

  get settled(): boolean {
    return this.over;
  }

  /** Called by the session: what its lines are. */
  start({ scene_id, first, lines }: SceneStarted): void {
    this.id = scene_id;
    this.lines.splice(first, this.lines.length, ...lines);
    this.emit("started", this.lines);
  }

  /** Called by the session: a line of it begins. */
  add(take: Take): void {
    this.takes.push(take);
    this.emit("take", take);
  }

  /** Called by the session: all of it was spoken, or it was stopped. */
  finish({ lines, cancelled }: SceneDone): void {
    this.settle();
    this.ending.resolve({ lines, cancelled: cancelled || this.stopped });
  }

  /** Called by the session: it can't be performed. */
  fail(error: VoiceError): void {
    if (this.over) return;
    this.settle();
    this.ending.reject(error);
  }

  private settle(): void {
    this.over = true;
    this.takes.close();
  }
}
