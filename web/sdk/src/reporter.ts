import type { UnderrunReport } from "./messages";
import type { Playback } from "./playout/playback";
import type { Take } from "./take";

export interface PlaybackReport {
  readonly take_id: string;
  readonly played_ms: number;
  readonly underruns: readonly UnderrunReport[];
}

const REPORT_MS = 1000;
/** What a server takes in one report; the rest goes with the next. */
const MOST_UNDERRUNS = 256;

interface Followed {
  readonly take: Take;
  readonly playback: Playback;
  told: number;
}

/** Tells the server what the listener has heard: once a second, and when it ends. */
export class PlaybackReporter {
  private readonly followed = new Set<Followed>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly send: (report: PlaybackReport) => void) {}

  /** Reports on this take until its playing ends; of a stopped one the cancel has told. */
  follow(take: Take, playback: Playback): void {
    const followed: Followed = { take, playback, told: 0 };
    this.followed.add(followed);
    this.timer ??= setInterval(() => this.reportAll(), REPORT_MS);
    playback.ended
      .then(({ complete }) => complete && this.report(followed))
      .catch(() => undefined)
      .finally(() => this.leave(followed));
  }

  close(): void {
    this.followed.clear();
    this.rest();
  }

  private leave(followed: Followed): void {
    this.followed.delete(followed);
    if (this.followed.size === 0) this.rest();
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private reportAll(): void {
    for (const followed of this.followed) this.report(followed);
  }

  private report(followed: Followed): void {
    const { take, playback } = followed;
    if (take.id === undefined || take.state === "failed") return;
    const news = playback.underruns.slice(followed.told, followed.told + MOST_UNDERRUNS);
    followed.told += news.length;
    const underruns = news.map(({ at, length }) => ({
      at_ms: (1000 * at) / playback.sampleRate,
      ms: (1000 * length) / playback.sampleRate,
    }));
    this.send({ take_id: take.id, played_ms: playback.playedMs, underruns });
  }
}
