import type { Fields } from "./fields";

/** How a take was made, for whoever measures; undefined what was not noted. */
export interface WireMade {
  /** From the command read until its first window began to be decoded. */
  readonly frames_ms: number | undefined;
  /** Codec frames of its first windows, in order. */
  readonly windows: readonly number[];
  /** From its first packet made to the first written. */
  readonly held_ms: number | undefined;
}

export function readMade(m: Fields | undefined): WireMade | undefined {
  return (
    m && {
      frames_ms: m.maybeNumber("frames_ms"),
      windows: m.numbers("windows"),
      held_ms: m.maybeNumber("held_ms"),
    }
  );
}
