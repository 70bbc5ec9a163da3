import type { WordChange } from "voice-server-sdk";
import { make } from "./dom";
import type { LitText, WrittenWord } from "./lit-text";

/** The element of the page that tells how the words are edited by keys. */
const KEYS = "word-keys";

/**
 * Lets words of a text be picked (click, drag, Shift with a click or the arrows) and written anew
 * in their place: Enter commits, Esc leaves, nothing written takes them out.
 */
export class WordEditor {
  private words: WrittenWord[] = [];
  private anchor = 0;
  private head = 0;
  private dragging = false;
  private open: InlineField | undefined;

  constructor(
    private readonly lit: LitText,
    private readonly commit: (change: WordChange) => void,
  ) {}

  /** From now on the words can be edited; all of them are known. */
  enable(): void {
    if (this.words.length > 0) return;
    this.words = this.lit.written();
    if (this.words.length === 0) return;
    this.dress();
    const { place } = this.lit;
    place.onpointerdown = (event) => this.press(event);
    place.onpointermove = (event) => this.drag(event);
    place.onpointerup = () => this.release();
    place.onmousedown = (event) => this.at(event.target) !== undefined && event.preventDefault();
    place.onkeydown = (event) => this.key(event);
  }

  /** The words are plain text again. */
  disable(): void {
    this.leave();
    const { place } = this.lit;
    place.onpointerdown = place.onpointermove = place.onpointerup = null;
    place.onmousedown = place.onkeydown = null;
    place.classList.remove("editable");
    for (const name of ["role", "aria-label", "aria-describedby"]) place.removeAttribute(name);
    for (const { element } of this.words) {
      element.classList.remove("picked");
      for (const name of ["role", "tabindex"]) element.removeAttribute(name);
    }
    this.words = [];
  }

  private get range(): [number, number] {
    return [Math.min(this.anchor, this.head), Math.max(this.anchor, this.head)];
  }

  private dress(): void {
    const { place } = this.lit;
    place.classList.add("editable");
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", "Words of this take");
    place.setAttribute("aria-describedby", KEYS);
    for (const { element } of this.words) element.setAttribute("role", "button");
    this.pick(0, 0);
    this.paint(false);
  }

  private at(target: EventTarget | null): number | undefined {
    const found = this.words.findIndex(({ element }) => element === target);
    return found < 0 ? undefined : found;
  }

  private press(event: PointerEvent): void {
    const at = this.at(event.target);
    if (at === undefined || event.button !== 0) return;
    this.leave();
    this.dragging = true;
    this.pick(event.shiftKey ? this.anchor : at, at);
  }

  private drag(event: PointerEvent): void {
    const at = this.at(event.target);
    if (this.dragging && at !== undefined) this.pick(this.anchor, at);
  }

  private release(): void {
    if (!this.dragging) return;
    this.dragging = false;
    this.edit();
  }

  private key(event: KeyboardEvent): void {
    const at = this.at(event.target);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.target(event.key, at);
    if (to !== undefined) this.move(to, event.shiftKey);
    else if (["Enter", "F2", " "].includes(event.key)) this.edit();
    else if (["Delete", "Backspace"].includes(event.key)) this.write("");
    else return;
    event.preventDefault();
  }

  private target(key: string, at: number): number | undefined {
    const last = this.words.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, at - 1),
      ArrowRight: Math.min(last, at + 1),
      Home: 0,
      End: last,
    };
    return targets[key];
  }

  private move(to: number, more: boolean): void {
    this.pick(more ? this.anchor : to, to);
    this.words[to]?.element.focus();
  }

  private pick(anchor: number, head: number): void {
    this.anchor = anchor;
    this.head = head;
    this.paint(true);
  }

  /** Shows what is picked; one word at a time can be reached by Tab. */
  private paint(picked: boolean): void {
    const [from, to] = this.range;
    this.words.forEach(({ element }, at) => {
      element.classList.toggle("picked", picked && from <= at && at <= to);
      element.tabIndex = at === this.head ? 0 : -1;
    });
  }

  private edit(): void {
    const [from, to] = this.range;
    const [first, last] = [this.words[from], this.words[to]];
    if (first === undefined || last === undefined) return;
    const field = new InlineField(first.element, last.element, this.lit.slice(first, last), {
      commit: (text) => this.write(text),
      leave: (back) => {
        this.leave();
        if (back) this.words[this.head]?.element.focus();
      },
    });
    this.open = field;
    field.focus();
  }

  private leave(): void {
    const field = this.open;
    this.open = undefined;
    field?.remove();
    this.paint(false);
  }

  private write(text: string): void {
    const [from, to] = this.range;
    const [first, last] = [this.words[from], this.words[to]];
    this.leave();
    if (first === undefined || last === undefined) return;
    this.words[this.head]?.element.focus();
    if (text === this.lit.slice(first, last)) return;
    this.commit({ words: [first.spoken[0], last.spoken[1]], text });
  }
}

interface FieldActs {
  commit(text: string): void;
  /** `back`: the focus is to go back to the word. */
  leave(back: boolean): void;
}

/** A field in the place of some words, as wide as what is written in it. */
class InlineField {
  private readonly input = make("input", "");
  private readonly box = make("span", "field", this.input);
  private readonly covered: HTMLElement[] = [];

  constructor(
    first: HTMLElement,
    last: HTMLElement,
    private readonly text: string,
    private readonly acts: FieldActs,
  ) {
    this.cover(first, last);
    first.before(this.box);
    this.input.value = text;
    // Its width is that of the words, which the box knows.
    this.input.size = 1;
    this.input.setAttribute("aria-label", `Instead of “${text}”`);
    this.input.setAttribute("aria-describedby", "field-keys");
    this.input.oninput = () => this.fit();
    this.input.onblur = () => this.input.value === text && acts.leave(false);
    this.box.onkeydown = (event) => this.key(event);
    this.fit();
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  remove(): void {
    this.input.onblur = null;
    this.box.remove();
    for (const element of this.covered) element.hidden = false;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.acts.leave(true);
    else if (event.key === "Enter" && !event.isComposing) this.acts.commit(this.tidy());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private tidy(): string {
    return this.input.value === this.text ? this.text : this.input.value.trim();
  }

  private fit(): void {
    this.box.dataset.text = this.input.value;
  }

  private cover(first: HTMLElement, last: HTMLElement): void {
    for (let node: Element | null = first; node !== null; node = node.nextElementSibling) {
      this.covered.push(node as HTMLElement);
      (node as HTMLElement).hidden = true;
      if (node === last) return;
    }
  }
}
