import type { PlayMode, PlayoutEvent, TrackReport } from "./playout";

/** The name under which the worklet registers its processor. */
export const PROCESSOR = "voice-player";

/** What the processor is made with. */
export interface ProcessorOptions {
  /** How far ahead of the listener the server sends, in seconds. */
  readonly leadS: number;
}

export type ToWorklet =
  | {
      readonly kind: "open";
      readonly track: number;
      readonly mode: PlayMode;
      /** Samples of silence before it, from when its turn comes. */
      readonly pause: number;
    }
  | { readonly kind: "push"; readonly track: number; readonly samples: Float32Array }
  | { readonly kind: "end"; readonly track: number }
  | { readonly kind: "drop"; readonly track: number };

/**
 * What one block of sound brought. `frame` is the context's own count of samples at which the
 * block began, and `block` its length: the reports count what had been played at its end.
 */
export interface FromWorklet {
  readonly frame: number;
  readonly block: number;
  readonly events: readonly PlayoutEvent[];
  readonly reports: readonly TrackReport[];
}
