import { opusDecoderInUse, type Session, type TimeSpan, type Underrun } from "voice-server-sdk";
import type { Studio } from "./studio";

/** What the page has done, as numbers: for tests, and for whoever looks from the console. */
export interface TakeFacts {
  readonly id: string | undefined;
  readonly state: string;
  readonly kind: string | undefined;
  readonly text: string;
  /** The id of the take that it starts from. */
  readonly parent: string | undefined;
  readonly changed: readonly TimeSpan[] | undefined;
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
    takes: () => studio.list.all.map((performance) => performance.facts()),
    decoder: () => opusDecoderInUse(),
    state: () => session.state.name,
  };
}
