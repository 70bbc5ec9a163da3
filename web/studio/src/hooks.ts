import { opusDecoderInUse, type Session, type Underrun } from "voice-server-sdk";
import type { Studio } from "./studio";

/** What the page has done, as numbers: for tests, and for whoever looks from the console. */
export interface TakeFacts {
  readonly id: string | undefined;
  readonly state: string;
  /** What the server says the take has, at 24 kHz. */
  readonly samples: number | undefined;
  /** What the worklet played, at `playedRate`. */
  readonly played: number;
  readonly playedRate: number;
  readonly complete: boolean;
  /** In samples at `playedRate`. */
  readonly underruns: readonly Underrun[];
  /** When each word begins, in ms from the start of the take. */
  readonly starts: readonly number[];
  readonly firstPacketMs: number | undefined;
  readonly firstSoundMs: number | undefined;
}

export interface StudioFacts {
  /** Newest first, as in the list. */
  takes(): TakeFacts[];
  decoder(): string;
  state(): string;
}

declare global {
  interface Window {
    __studio: StudioFacts;
  }
}

export function expose(session: Session, studio: Studio): void {
  window.__studio = {
    takes: () => studio.performances.map((performance) => performance.facts()),
    decoder: () => opusDecoderInUse(),
    state: () => session.state.name,
  };
}
