import type { TimeSpan, Word } from "voice-server-sdk";
import { make } from "./dom";

/** A word on the page, and what stands between it and the word before. */
interface LitWord {
  readonly word: Word;
  readonly element: HTMLElement;
  readonly gap: HTMLElement | undefined;
}

/** A word as it is written, and the spoken ones [from, to) that it stands for: several in "$3.5". */
export interface WrittenWord {
  readonly element: HTMLElement;
  readonly span: readonly [from: number, to: number];
  readonly spoken: readonly [from: number, to: number];
}

/**
 * A text whose words light up. Words become elements as their times become known; what is between
 * and after them stays plain text, so that the whole always reads as it was written.
 */
export class LitText {
  private readonly words: LitWord[] = [];
  private readonly tail: Text;
  private done = 0;
  /** How many words have begun. */
  private begun = 0;

  constructor(
    readonly place: HTMLElement,
    private text: string,
  ) {
    this.tail = document.createTextNode(text);
    place.replaceChildren(this.tail);
  }

  /** Another text in its place, as long as no word of it is known. */
  read(text: string): void {
    if (this.words.length > 0 || text === this.text) return;
    this.text = text;
    this.tail.data = text;
  }

  /** Adds words whose times became known, in order. */
  learn(words: readonly Word[]): void {
    for (const word of words) this.words.push(this.put(word));
    this.tail.data = this.text.slice(this.done);
  }

  /** The words as they are written, so far as they are known. */
  written(): WrittenWord[] {
    const written: WrittenWord[] = [];
    this.words.forEach(({ word, element }, at) => {
      const last = written.at(-1);
      const again = last?.element === element;
      const from = again ? last.spoken[0] : at;
      if (again) written.pop();
      written.push({ element, span: again ? last.span : word.span, spoken: [from, at + 1] });
    });
    return written;
  }

  /** What words [from, to] of the page read, with what stands between them. */
  slice(first: WrittenWord, last: WrittenWord): string {
    return this.text.slice(first.span[0], last.span[1]);
  }

  /** Marks the words that lie for the most part in these stretches. */
  mark(spans: readonly TimeSpan[]): void {
    for (const { word, element } of this.words) {
      const inside = spans.reduce((sum, span) => sum + overlap(word, span), 0);
      if (2 * inside > word.endMs - word.startMs) element.classList.add("fresh");
    }
  }

  /**
   * Lights the word that is spoken at `ms`, and marks those before it as said.
   *
   * @returns the element of the word that was newly lit, if one was.
   */
  light(ms: number): HTMLElement | undefined {
    const before = this.begun;
    for (let next = this.words[this.begun]; next; next = this.words[this.begun]) {
      if (next.word.startMs > ms) break;
      this.words[this.begun - 1]?.element.classList.remove("now");
      next.gap?.classList.add("said");
      next.element.classList.add("said", "now");
      this.begun += 1;
    }
    return this.begun > before ? this.words[this.begun - 1]?.element : undefined;
  }

  /** Puts all lights out. */
  dim(): void {
    for (const { element, gap } of this.words) {
      element.classList.remove("said", "now");
      gap?.classList.remove("said");
    }
    this.begun = 0;
  }

  private put(word: Word): LitWord {
    const [from, to] = word.span;
    const last = this.words.at(-1);
    // Several spoken words may stand for one written one, as in "$3.5".
    if (last !== undefined && from < this.done)
      return { word, element: last.element, gap: undefined };
    const gap = make("span", "gap", this.text.slice(this.done, from));
    const element = make("span", "word", this.text.slice(from, to));
    this.tail.before(gap, element);
    this.done = to;
    return { word, element, gap };
  }
}

function overlap(word: Word, span: TimeSpan): number {
  return Math.max(0, Math.min(word.endMs, span.endMs) - Math.max(word.startMs, span.startMs));
}
