import type { Playback, PlaybackEnd, Take, TakeResult } from "voice-server-sdk";
import type { Figures } from "./figures";
import type { TakeFacts } from "./hooks";
import type { TakeCard } from "./take-card";

/** One take from the moment it was asked for: its card, how it went, and what was measured. */
export class TakePerformance {
  result: TakeResult | undefined;
  end: PlaybackEnd | undefined;

  constructor(
    readonly take: Take,
    readonly card: TakeCard,
    readonly parent: TakePerformance | undefined,
  ) {}

  /** Whether the session that it belongs to is over: it can be heard, and no more. */
  past = false;

  /** It is heard again, or for the first time here. */
  follow(playback: Playback): void {
    playback.ended.then(
      (end) => {
        this.end = end;
      },
      () => undefined,
    );
  }

  get figures(): Figures {
    const { firstPacketAt, firstSoundAt, askedAt } = this.take.timing;
    const playback = this.take.playback;
    return {
      firstPacketMs: since(askedAt, firstPacketAt),
      firstSoundMs: since(askedAt, firstSoundAt),
      rtf: this.result?.outcome === "done" ? this.result.rtf : undefined,
      queuedMs: this.result?.outcome === "done" ? this.result.queuedMs : undefined,
      starvation: playback && firstSoundAt !== undefined ? starvationOf(playback) : undefined,
    };
  }

  facts(): TakeFacts {
    const { take, end, result } = this;
    return {
      id: take.id,
      state: take.state,
      kind: take.kind,
      text: take.text,
      parent: take.parent?.id,
      changed: result?.outcome === "done" ? result.changed : undefined,
      samples: result?.outcome === "done" ? result.samples : undefined,
      played: end?.samples ?? take.playback?.playedSamples ?? 0,
      playedRate: take.playback?.sampleRate ?? 0,
      complete: end?.complete ?? false,
      underruns: take.playback?.underruns ?? [],
      starts: take.words.items.map(({ startMs }) => startMs),
      firstPacketMs: this.figures.firstPacketMs,
      firstSoundMs: this.figures.firstSoundMs,
    };
  }
}

function since(start: number, at: number | undefined): number | undefined {
  return at === undefined ? undefined : at - start;
}

function starvationOf({ underruns, sampleRate }: Playback) {
  const longest = Math.max(0, ...underruns.map(({ length }) => length));
  return { count: underruns.length, longestMs: (1000 * longest) / sampleRate };
}
