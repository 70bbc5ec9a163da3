import { make } from "./dom";
import { milliseconds, type Starvation, starvation } from "./words-for";

export interface Figures {
  readonly firstPacketMs?: number | undefined;
  readonly firstSoundMs?: number | undefined;
  readonly rtf?: number | undefined;
  readonly queuedMs?: number | undefined;
  readonly starvation?: Starvation | undefined;
}

const MEANINGS = {
  "First packet": "From the moment the page asked to the first sound that reached it",
  "First sound": "From the moment the page asked to the first sound that left for your ears",
  Queued: "What of that the take waited until others were spoken",
  "Real-time factor":
    "From the server having read what asked for the take to all of it made, over its length: under 1 is faster than speech",
  Underruns: "Times your player had nothing to play in the middle of the take",
} as const;

/** What is known of them, as the page says it; a wait only where there was one. */
export function told(figures: Figures): [keyof typeof MEANINGS, string][] {
  const { firstPacketMs, firstSoundMs, queuedMs, rtf } = figures;
  const rows: [keyof typeof MEANINGS, string | undefined][] = [
    ["First packet", firstPacketMs === undefined ? undefined : milliseconds(firstPacketMs)],
    ["First sound", firstSoundMs === undefined ? undefined : milliseconds(firstSoundMs)],
    ["Queued", queuedMs ? milliseconds(queuedMs) : undefined],
    ["Real-time factor", rtf?.toFixed(2)],
    ["Underruns", figures.starvation && starvation(figures.starvation)],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

/** The small line under the text: how fast the take came, and whether it was whole. */
export class FiguresLine {
  constructor(private readonly place: HTMLElement) {}

  show(figures: Figures): void {
    const known = told(figures);
    this.place.replaceChildren(...known.map(([name, value]) => this.row(name, value)));
    this.place.hidden = known.length === 0;
  }

  private row(name: keyof typeof MEANINGS, value: string): HTMLElement {
    const row = make("div", "", make("dt", "", name), make("dd", "", value));
    row.title = MEANINGS[name];
    return row;
  }
}
