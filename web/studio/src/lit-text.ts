import type { Word } from "voice-server-sdk";
import { make } from "./dom";

/**
 * A text whose words light up. Words become elements as their times become known; what is between
 * and after them stays plain text, so that the whole always reads as it was written.
 */
export class LitText {
  private readonly words: { readonly word: Word; readonly element: HTMLElement }[] = [];
  private readonly tail: Text;
  private done = 0;
  /** How many words have begun. */
  private begun = 0;

  constructor(
    readonly place: HTMLElement,
    private readonly text: string,
  ) {
    this.tail = document.createTextNode(text);
    place.replaceChildren(this.tail);
  }

  /** Adds words whose times became known, in order. */
  learn(words: readonly Word[]): void {
    for (const word of words) this.words.push({ word, element: this.elementOf(word) });
    this.tail.data = this.text.slice(this.done);
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
      next.element.classList.add("said", "now");
      this.begun += 1;
    }
    return this.begun > before ? this.words[this.begun - 1]?.element : undefined;
  }

  /** Puts all lights out. */
  dim(): void {
    for (const { element } of this.words) element.classList.remove("said", "now");
    this.begun = 0;
  }

  private elementOf(word: Word): HTMLElement {
    const [from, to] = word.span;
    const last = this.words.at(-1);
    // Several spoken words may stand for one written one, as in "$3.5".
    if (last !== undefined && from < this.done) return last.element;
    const element = make("span", "word", this.text.slice(from, to));
    this.tail.before(this.text.slice(this.done, from), element);
    this.done = to;
    return element;
  }
}
