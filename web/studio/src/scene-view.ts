import type { SceneLine } from "voice-server-sdk";
import { make } from "./dom";
import type { TakeCard } from "./take-card";

/** A scene on the page: its lines in order, each a take from the moment it begins. */
export class SceneView {
  readonly element: HTMLElement;
  private readonly title = make("h3", "", "Scene");
  private readonly lines = make("ol", "lines");
  private readonly rows = new Map<string, HTMLElement>();

  constructor(private readonly nameOf: (voice: string) => string) {
    this.element = make("li", "scene", this.title, this.lines);
  }

  /** What is to be spoken, before any of it is. */
  show(lines: readonly SceneLine[]): void {
    for (const line of lines) {
      if (!this.rows.has(line.line_id)) this.put(line.line_id, this.row(line));
    }
    const voices = new Set(lines.map(({ voice }) => voice)).size;
    this.tell(`${counted(lines.length, "line")}, ${counted(voices, "voice")}`);
  }

  /** A line begins: its take stands where the line was announced. */
  begin(card: TakeCard): void {
    const { lineId } = card.take;
    const row = lineId === undefined ? undefined : this.rows.get(lineId);
    if (row === undefined) this.lines.append(card.element);
    else row.replaceWith(card.element);
  }

  failed(words: string): void {
    this.tell("not performed");
    this.element.append(make("p", "refusal", words));
  }

  private put(lineId: string, row: HTMLElement): void {
    this.rows.set(lineId, row);
    this.lines.append(row);
  }

  private row({ speaker, voice, text, dual }: SceneLine): HTMLElement {
    const when = dual ? "to come, written to be said with the line before" : "to come";
    const meta = make("p", "meta", `${this.nameOf(voice)} · ${when}`);
    const body = make("div", "body", make("p", "speaker", speaker), make("p", "says", text), meta);
    return make("li", "announced", body);
  }

  private tell(words: string): void {
    this.title.textContent = `Scene · ${words}`;
  }
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
