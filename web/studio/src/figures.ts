import { make } from "./dom";
import { milliseconds, type Starvation, starvation } from "./words-for";

export interface Figures {
  readonly firstPacketMs?: number | undefined;
  readonly firstSoundMs?: number | undefined;
  readonly rtf?: number | undefined;
  readonly starvation?: Starvation | undefined;
}

const MEANINGS = {
  "First packet": "From the moment the page asked to the first sound that reached it",
  "First sound": "From the moment the page asked to the first sound that left for your ears",
  "Real-time factor": "Time to make the take over its length: under 1 is faster than speech",
  Underruns: "Times your player had nothing to play in the middle of the take",
} as const;

/** The small line under the text: how fast the take came, and whether it was whole. */
export class FiguresLine {
  constructor(private readonly place: HTMLElement) {}

  show(figures: Figures): void {
    const { firstPacketMs, firstSoundMs, rtf } = figures;
    const rows: [keyof typeof MEANINGS, string | undefined][] = [
      ["First packet", firstPacketMs === undefined ? undefined : milliseconds(firstPacketMs)],
      ["First sound", firstSoundMs === undefined ? undefined : milliseconds(firstSoundMs)],
      ["Real-time factor", rtf?.toFixed(2)],
      ["Underruns", figures.starvation && starvation(figures.starvation)],
    ];
    const known = rows.filter(([, value]) => value !== undefined);
    this.place.replaceChildren(...known.map(([name, value]) => this.row(name, value ?? "")));
    this.place.hidden = known.length === 0;
  }

  private row(name: keyof typeof MEANINGS, value: string): HTMLElement {
    const row = make("div", "", make("dt", "", name), make("dd", "", value));
    row.title = MEANINGS[name];
    return row;
  }
}
