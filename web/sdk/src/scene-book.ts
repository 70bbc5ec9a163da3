import type { VoiceError } from "./errors";
import type { SceneDone, SceneStarted } from "./messages";
import type { Scene } from "./scene";

/** The scenes that are performed now, by the mark of what asked for them and by the server's id. */
export class SceneBook {
  private readonly scenes = new Set<Scene>();

  /** Marks all as stopped; @returns whether there were any. */
  stop(): boolean {
    for (const scene of this.scenes) scene.stopped = true;
    return this.scenes.size > 0;
  }

  add(scene: Scene): void {
    this.scenes.add(scene);
    scene.done.catch(() => undefined).finally(() => this.scenes.delete(scene));
  }

  start(message: SceneStarted): void {
    (this.byMark(message.reply_to) ?? this.byId(message.scene_id))?.start(message);
  }

  finish(message: SceneDone): void {
    this.byId(message.scene_id)?.end(message);
  }

  byMark(mark: string | undefined): Scene | undefined {
    return [...this.scenes].find((scene) => scene.mark === mark);
  }

  byId(id: string | undefined): Scene | undefined {
    return [...this.scenes].find((scene) => id !== undefined && scene.id === id);
  }

  failAll(error: VoiceError): void {
    for (const scene of this.scenes) scene.fail(error);
  }
}
