import type { Word } from "voice-server-sdk";
import { LitText } from "./lit-text";
import { recall, remember } from "./memory";

const KEPT_CHARACTERS = 20_000;

/** The text being written, and the same text lit from behind while it is spoken. */
export class Composer {
  private lit: LitText | undefined;

  constructor(
    private readonly sheet: HTMLElement,
    private readonly backdrop: HTMLElement,
    private readonly area: HTMLTextAreaElement,
  ) {
    area.value = recall("text");
    area.oninput = () => {
      this.plain();
      if (area.value.length <= KEPT_CHARACTERS) remember("text", area.value);
    };
    this.plain();
  }

  get text(): string {
    return this.area.value;
  }

  focus(): void {
    this.area.focus();
  }

  /** Begins to light this text, if it is the one on the sheet. */
  begin(text: string): void {
    if (text !== this.text) return this.plain();
    this.lit = new LitText(this.backdrop, text);
    this.backdrop.append("\n");
    this.sheet.classList.add("lit");
    this.sheet.scrollTop = 0;
  }

  learn(words: readonly Word[]): void {
    this.lit?.learn(words);
  }

  light(ms: number): void {
    const word = this.lit?.light(ms);
    if (word !== undefined) this.keepInSight(word);
  }

  /** Back to plain text; the backdrop still gives the sheet its height. */
  plain(): void {
    this.lit = undefined;
    this.sheet.classList.remove("lit");
    this.backdrop.textContent = `${this.text}\n`;
  }

  private keepInSight(word: HTMLElement): void {
    const { sheet } = this;
    const top = word.offsetTop - sheet.offsetTop - sheet.scrollTop;
    if (top > 0 && top + 2 * word.offsetHeight < sheet.clientHeight) return;
    sheet.scrollTo({ top: word.offsetTop - sheet.offsetTop - sheet.clientHeight / 3 });
  }
}
