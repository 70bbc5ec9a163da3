import type { Fields } from "./fields";

/** How something is said, as numbers: factors, semitones, decibels, shares; see the server's docs. */
export interface Levers {
  readonly rate: number;
  readonly vowels: number;
  readonly pitch: number;
  readonly range: number;
  readonly ending: number;
  readonly slope: number;
  readonly tilt: number;
  readonly gain: number;
  readonly breath: number;
  readonly soft: number;
  readonly tremor: number;
  readonly tremor_hz: number;
  readonly whisper: boolean;
  readonly emphasis: number;
}

/** The numbers that a direction came to. Spans and places count code points of the take's text. */
export interface Performance extends Levers {
  /** Stretches that are said otherwise than the rest. */
  readonly parts: readonly {
    readonly span: readonly [from: number, to: number];
    readonly levers: Levers;
  }[];
  /** Silence before the word that begins at or after `at`. */
  readonly pauses: readonly { readonly at: number; readonly seconds: number }[];
}

export function readPerformance(p: Fields | undefined): Performance | undefined {
  return (
    p && {
      ...readLevers(p),
      parts: p.list("parts").map((part) => ({
        span: part.span("span"),
        levers: readLevers(part.object("levers")),
      })),
      pauses: p.list("pauses").map((pause) => ({
        at: pause.number("at"),
        seconds: pause.number("seconds"),
      })),
    }
  );
}

function readLevers(l: Fields): Levers {
  return {
    rate: l.number("rate"),
    vowels: l.number("vowels"),
    pitch: l.number("pitch"),
    range: l.number("range"),
    ending: l.number("ending"),
    slope: l.number("slope"),
    tilt: l.number("tilt"),
    gain: l.number("gain"),
    breath: l.number("breath"),
    soft: l.number("soft"),
    tremor: l.number("tremor"),
    tremor_hz: l.number("tremor_hz"),
    whisper: l.boolean("whisper"),
    emphasis: l.number("emphasis"),
  };
}
