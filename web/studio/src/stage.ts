import type { Playback } from "voice-server-sdk";
import type { TakeCard } from "./take-card";

/** What is told of the performance under way. */
export interface Audience {
  /** `ms` is what the listener hears at this moment, by the player's own clock. */
  at(card: TakeCard, ms: number): void;
  ended(card: TakeCard, complete: boolean): void;
  failed(card: TakeCard, error: unknown): void;
}

interface Performance {
  readonly card: TakeCard;
  readonly playback: Playback;
}

/** One take is heard at a time; this follows it from frame to frame of the screen. */
export class Stage {
  private current: Performance | undefined;

  constructor(private readonly audience: Audience) {}

  get busy(): boolean {
    return this.current !== undefined;
  }

  /** A take is heard in place of what is heard now. */
  perform(card: TakeCard, playback: Playback): void {
    this.current?.playback.stop();
    this.enter(this.expect(card, playback));
  }

  /** A take is heard when its turn comes, after those that were queued before it. */
  queue(card: TakeCard, playback: Playback): void {
    const performance = this.expect(card, playback);
    playback.on("started", () => this.enter(performance));
  }

  private expect(card: TakeCard, playback: Playback): Performance {
    const performance = { card, playback };
    card.expect();
    playback.on("sound", (samples) => card.draw(samples, playback.sampleRate));
    playback.ended.then(
      ({ complete }) => this.leave(performance, () => this.audience.ended(card, complete)),
      (error: unknown) => this.leave(performance, () => this.audience.failed(card, error)),
    );
    return performance;
  }

  private enter(performance: Performance): void {
    this.current = performance;
    performance.card.playing();
    requestAnimationFrame(() => this.follow(performance));
  }

  private follow(performance: Performance): void {
    if (this.current !== performance) return;
    const { card, playback } = performance;
    if (playback.playedSamples > 0) this.audience.at(card, playback.positionMs());
    requestAnimationFrame(() => this.follow(performance));
  }

  private leave(performance: Performance, tell: () => void): void {
    const { card, playback } = performance;
    // The last words may begin and end between two frames of a busy screen.
    if (this.current === performance) this.audience.at(card, playback.positionMs());
    if (this.current === performance) this.current = undefined;
    tell();
  }
}
