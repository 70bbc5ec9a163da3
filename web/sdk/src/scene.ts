import { deferred } from "./deferred";
import { Emitter } from "./emitter";
import { VoiceError } from "./errors";
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
  /** Script will follow by `append`, and `finish` says when it is all there. */
  readonly more?: boolean;
  /**
   * Goes on with this scene, the session's last, also after its end: its cast holds. The lines and
   * takes of what comes of it are those from here on.
   */
  readonly sceneId?: string;
}

/** Where a scene says what it wants. */
export interface SceneHost {
  /** Adds script to a scene, and with no `more` ends it. */
  extend(sceneId: string, script: string, more: boolean): Promise<void>;
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
  private readonly beginning = deferred<string>();
  private readonly ending = deferred<SceneResult>();
  private over = false;

  constructor(
    private readonly host: SceneHost,
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

  /**
   * Adds script to a scene that is performed with `more`. Resolves when its lines are known;
   * rejects with a VoiceError where it is not taken; the lines before it are still spoken.
   */
  append(script: string): Promise<void> {
    return this.extend(script, true);
  }

  /** No more script will follow; as `append`. */
  finish(): Promise<void> {
    return this.extend("", false);
  }

  /** Called by the session: what its lines are. */
  start({ scene_id, first, lines }: SceneStarted): void {
    this.id = scene_id;
    this.beginning.resolve(scene_id);
    this.lines.splice(first, this.lines.length, ...lines);
    this.emit("started", this.lines);
  }

  /** Called by the session: a line of it begins. */
  add(take: Take): void {
    this.takes.push(take);
    this.emit("take", take);
  }

  /** Called by the session: all of it was spoken, or it was stopped. */
  end({ lines, cancelled }: SceneDone): void {
    this.settle();
    this.ending.resolve({ lines, cancelled: cancelled || this.stopped });
  }

  /** Called by the session: it can't be performed. */
  fail(error: VoiceError): void {
    if (this.over) return;
    this.settle();
    this.beginning.reject(error);
    this.ending.reject(error);
  }

  private async extend(script: string, more: boolean): Promise<void> {
    const id = await this.beginning.promise;
    if (this.over) {
      throw new VoiceError("wrong_state", "The scene is over; perform with its sceneId goes on.");
    }
    return this.host.extend(id, script, more);
  }

  private settle(): void {
    this.over = true;
    this.takes.close();
  }
}
