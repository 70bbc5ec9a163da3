import type { Scene, Session, StoredSession, Take, Warned } from "voice-server-sdk";
import { abilities, NOTHING } from "./abilities";
import type { Composer } from "./composer";
import type { FiguresLine } from "./figures";
import type { ModeSwitch } from "./mode-switch";
import type { Notices } from "./notices";
import { TakePerformance } from "./performance";
import { recall } from "./recalled";
import { SceneView } from "./scene-view";
import { type Audience, Stage } from "./stage";
import { TakeCard } from "./take-card";
import type { TakeList } from "./take-list";
import type { VoicePicker } from "./voices";
import { fault, seconds } from "./words-for";

/** The parts of the page. */
export interface Parts {
  readonly composer: Composer;
  readonly mode: ModeSwitch;
  readonly voices: VoicePicker;
  readonly figures: FiguresLine;
  readonly notices: Notices;
  readonly play: HTMLButtonElement;
  readonly stop: HTMLButtonElement;
  readonly list: TakeList;
  /** Read out by a screen reader. */
  readonly spoken: HTMLElement;
}

/** The page at work: what is written is played, what is played is lit, what went wrong is said. */
export class Studio implements Audience {
  private readonly stage = new Stage(this);
  /** The take that the composer lights. */
  private asked: TakePerformance | undefined;
  /** What is asked for and not yet heard to its end. */
  private readonly underWay = new Set<TakePerformance | SceneView>();

  constructor(
    private readonly session: Session,
    private readonly parts: Parts,
  ) {
    parts.play.onclick = () => this.play();
    parts.stop.onclick = () => this.stop();
    session.on("state", (state) => {
      if (state.name === "open") {
        parts.voices.offer(state.opened.voices);
        this.list.belong(state.opened.session_id);
      }
      this.refresh();
    });
    session.on("warning", ({ warning, take }) => this.warn(warning, take));
    session.on("kept", ({ takeId, lineId }) => this.list.keep(takeId, lineId));
    session.on("error", ({ message }) => parts.notices.error(message));
    session.on("draining", ({ timeLeftMs }) =>
      parts.notices.warning(`The server is going down in ${seconds(timeLeftMs)}.`),
    );
  }

  /** Speaks what is written, in place of whatever is heard now. */
  play(): void {
    const { composer, notices, voices } = this.parts;
    const { text } = composer;
    notices.clear();
    if (text.trim() === "") {
      notices.warning("Write something to speak first.");
      return composer.focus();
    }
    if (this.parts.mode.value === "script") return this.perform(text);
    this.ask(() => this.session.speak(text, { voice: voices.value }));
  }

  /** Shows what was said in a session that is gone on with. */
  recall(stored: StoredSession): void {
    recall(stored, {
      session: this.session,
      list: this.list,
      performance: (take, parent) => this.performance(take, parent),
      scene: () => this.sceneView(),
    });
    this.say("Opened");
    this.refresh();
  }

  /** Says what went wrong. */
  complain(error: unknown): void {
    this.parts.notices.error(fault(error));
  }

  /** Opens the sound output before it is needed; what goes wrong is said when it is. */
  warmUp(): void {
    if (this.session.state.name === "open") this.session.openOutput().catch(() => undefined);
  }

  /** Falls silent. */
  stop(): void {
    if (!this.busy) return;
    this.silence();
    this.say("Stopped");
  }

  at(card: TakeCard, ms: number): void {
    card.at(ms);
    this.parts.composer.light(ms);
  }

  ended(card: TakeCard, complete: boolean): void {
    card.quiet();
    if (!this.stage.busy) this.parts.composer.plain();
    if (complete && this.underWay.size <= 1) this.say("Finished");
    this.refresh();
  }

  failed(card: TakeCard, error: unknown): void {
    card.quiet();
    this.parts.composer.plain();
    this.complain(error);
    this.refresh();
  }

  get list(): TakeList {
    return this.parts.list;
  }

  private get busy(): boolean {
    return this.stage.busy || this.underWay.size > 0;
  }

  private silence(): void {
    this.session.stop();
    this.asked = undefined;
    this.underWay.clear();
    this.parts.composer.plain();
    this.refresh();
  }

  /** Has a take made and heard, in place of whatever is heard now. */
  private ask(make: () => Take, parent?: TakePerformance): void {
    this.silence();
    try {
      this.begin(make(), parent);
    } catch (error) {
      this.complain(error);
    }
  }

  /** Has a script performed, in place of whatever is heard now. */
  private perform(script: string): void {
    this.silence();
    try {
      this.present(this.session.perform(script));
    } catch (error) {
      this.complain(error);
    }
  }

  private present(scene: Scene): void {
    const view = this.sceneView();
    this.list.addScene(view);
    this.underWay.add(view);
    scene.on("started", (lines) => view.show(lines));
    scene.on("take", (take) => {
      const line = this.performance(take);
      this.list.addTo(view, line);
      this.follow(line, "in turn");
    });
    scene.done
      .catch((error: Error) => {
        view.failed(error.message);
        this.complain(error);
      })
      .finally(() => this.release(view));
    this.say("Performing");
    this.refresh();
  }

  private sceneView(): SceneView {
    return new SceneView((voice) => this.parts.voices.nameOf(voice));
  }

  private begin(take: Take, parent: TakePerformance | undefined): void {
    const performance = this.performance(take, parent);
    this.asked = performance;
    this.list.add(performance);
    this.parts.composer.begin(take.text);
    this.parts.figures.show({});
    this.follow(performance, "at once");
    this.say("Speaking");
    this.refresh();
  }

  private performance(take: Take, parent?: TakePerformance): TakePerformance {
    const voice = this.parts.voices.nameOf(take.voice ?? "");
    const name = parent === undefined ? voice : `Take ${this.list.nextOf(parent)} · ${voice}`;
    const card = new TakeCard(take, name, {
      again: () => void this.replay(performance),
      direct: (direction) => this.ask(() => take.direct(direction), performance),
      edit: (change) => this.ask(() => take.edit({ changes: [change] }), performance),
      keep: () => take.keep().catch((error: unknown) => this.complain(error)),
    });
    const performance = new TakePerformance(take, card, parent);
    return performance;
  }

  private follow(performance: TakePerformance, when: "at once" | "in turn"): void {
    const { take, card } = performance;
    this.underWay.add(performance);
    take.on("started", () => {
      card.started();
      if (this.asked === performance) this.parts.composer.begin(take.text);
    });
    take.on("words", (words) => {
      card.learn(words);
      if (this.asked === performance) this.parts.composer.learn(words);
    });
    take.on("packet", () => this.measure(performance));
    take.on("playback", (playback) => {
      if (when === "at once") this.stage.perform(card, playback);
      else this.stage.queue(card, playback);
      playback.on("started", () => queueMicrotask(() => this.measure(performance)));
      playback.on("underrun", () => this.measure(performance));
    });
    take.done.then(
      (result) => this.complete(performance, result),
      (error: unknown) => this.refuse(performance, error),
    );
    take.played.then(
      (end) => {
        performance.end = end;
        this.release(performance);
      },
      () => this.release(performance),
    );
  }

  private measure(performance: TakePerformance): void {
    if (this.list.all[0] === performance) this.parts.figures.show(performance.figures);
  }

  private complete(performance: TakePerformance, result: TakePerformance["result"]): void {
    performance.result = result;
    if (result?.outcome === "done") performance.card.finished(result.durationMs, result.changed);
    else performance.card.stopped(performance.take.playback?.playedMs ?? 0);
    this.measure(performance);
    this.refresh();
  }

  private refuse(performance: TakePerformance, error: unknown): void {
    performance.card.failed(error instanceof Error ? error.message : String(error));
    this.complain(error);
    this.release(performance);
  }

  private release(over: TakePerformance | SceneView): void {
    this.underWay.delete(over);
    if (this.asked === over) this.asked = undefined;
    if (over instanceof TakePerformance) this.measure(over);
    this.refresh();
  }

  private async replay(performance: TakePerformance): Promise<void> {
    const { take, card } = performance;
    this.silence();
    this.parts.composer.begin(take.text);
    this.parts.composer.learn(take.words.items);
    try {
      const playback = await this.session.replay(take.recording);
      this.stage.perform(card, playback);
      performance.follow(playback);
      this.say("Playing again");
    } catch (error) {
      this.complain(error);
    }
    this.refresh();
  }

  private refresh(): void {
    this.parts.play.disabled = this.session.state.name !== "open";
    this.parts.stop.disabled = !this.busy;
    const able = abilities(this.session.state);
    for (const { card, past } of this.list.all) card.allow(past ? NOTHING : able);
  }

  /** A warning of a take that starts from another stays with it, and so does its wait for a slot;
   * others go by. */
  private warn({ code, message, seconds }: Warned, take: Take | undefined): void {
    const told = this.list.all.find((performance) => performance.take === take);
    if (code === "queued" && told !== undefined) {
      told.card.waits(seconds);
      return this.say(message);
    }
    if (told?.parent === undefined) return this.parts.notices.warning(message);
    told.card.warn(message);
    this.say(message);
  }

  private say(words: string): void {
    this.parts.spoken.textContent = words;
  }
}
