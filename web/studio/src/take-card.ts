import type { Recognised, Take, TimeSpan, Word, WordChange } from "voice-server-sdk";
import { type Abilities, NOTHING } from "./abilities";
import { DirectionBox } from "./direction-box";
import { icon, make } from "./dom";
import { editedWords } from "./edited-words";
import { LitText } from "./lit-text";
import { movedChips } from "./moved-chips";
import { Waveform } from "./waveform";
import { WordEditor } from "./word-editor";
import { checked, seconds, sentence, waiting } from "./words-for";

const PLAY = "M2.5 1v10l8.5-5z";
const STAR = "M6 .9l1.6 3.3 3.6.5-2.6 2.5.6 3.6L6 9.1l-3.2 1.7.6-3.6L.8 4.7l3.6-.5z";

/** What a person can do with a take. */
export interface CardActs {
  again(): void;
  direct(direction: string): void;
  edit(change: WordChange): void;
  keep(): void;
}

/**
 * One take in the list: what was asked, what it says, how it looks, how it went; what can be done
 * with it, and below it the takes that start from it.
 */
export class TakeCard {
  readonly element: HTMLElement;
  readonly heirs = make("ol", "heirs");
  private readonly lit: LitText;
  private readonly wave = new Waveform();
  private readonly asked = make("div", "asked");
  private readonly again = make("button", "again", icon(PLAY));
  private readonly keep = make("button", "keep", icon(STAR));
  private readonly meta = make("p", "meta");
  private readonly notes = make("div", "notes");
  private readonly words: WordEditor;
  private readonly box: DirectionBox;
  private made = false;
  private waiting = false;
  /** Samples that are drawn, and those that came by in this playing. */
  private drawn = 0;
  private passed = 0;

  constructor(
    readonly take: Take,
    private readonly name: string,
    acts: CardActs,
  ) {
    const says = make("p", "says");
    this.lit = new LitText(says, take.text);
    this.words = new WordEditor(this.lit, acts.edit);
    this.box = new DirectionBox(shortened(take.text), acts.direct);
    this.button(this.again, `Hear again: ${shortened(take.text)}`, acts.again);
    this.again.disabled = true;
    this.button(this.keep, `Keep for this line: ${shortened(take.text)}`, acts.keep);
    this.keeps(false);
    const body = make("div", "body", this.asked, says, this.wave.canvas, this.meta, this.notes);
    body.append(this.box.element);
    const card = make("div", "card", this.again, body, this.keep);
    this.element = make("li", "take", card, this.heirs);
    if (take.speaker !== undefined && take.parent === undefined) {
      this.asked.append(make("p", "speaker", take.speaker));
    }
    this.quote();
    this.allow(NOTHING);
    this.tell("being made");
  }

  /** The server has it under way: what it says, and what a direction came to. */
  started(): void {
    const { text, moved, parent } = this.take;
    this.lit.read(text);
    this.quote();
    if (moved.length > 0) this.asked.append(movedChips(moved));
    if (parent !== undefined && parent.text !== text) {
      this.asked.append(editedWords(parent.text, text));
    }
  }

  /** All slots are taken; its own will be free in about so many seconds, where that is known. */
  waits(seconds: number | undefined): void {
    this.tell(waiting(seconds));
    this.waiting = true;
  }

  learn(words: readonly Word[]): void {
    if (this.waiting) this.tell("being made");
    this.waiting = false;
    this.lit.learn(words);
  }

  /** Draws sound the first time it comes by; a replay brings the same again. */
  draw(samples: Float32Array, sampleRate: number): void {
    const fresh = samples.subarray(Math.max(0, this.drawn - this.passed));
    this.passed += samples.length;
    this.drawn = Math.max(this.drawn, this.passed);
    if (fresh.length === 0) return;
    this.wave.canvas.hidden = false;
    this.wave.add(fresh, sampleRate);
  }

  /** It is about to be played, from its beginning. */
  expect(): void {
    this.passed = 0;
  }

  playing(): void {
    this.element.classList.add("playing");
  }

  at(ms: number): void {
    const word = this.lit.light(ms);
    this.wave.heard(ms);
    word?.scrollIntoView({ block: "nearest", container: "nearest" } as ScrollIntoViewOptions);
  }

  quiet(): void {
    this.element.classList.remove("playing");
    this.lit.dim();
    this.wave.heard();
  }

  /** `changed`: what is not the sound of the take that this one starts from. */
  finished(durationMs: number, changed: readonly TimeSpan[] = []): void {
    const { heard } = this.take;
    if (heard !== undefined) this.checked(heard);
    this.made = durationMs > 0;
    this.again.disabled = !this.made;
    this.wave.canvas.hidden = this.drawn === 0;
    this.wave.mark(changed);
    this.lit.mark(changed);
    this.tell(this.made ? seconds(durationMs) : "nothing to say in it");
  }

  stopped(heardMs: number): void {
    this.wave.canvas.hidden = this.drawn === 0;
    this.tell(heardMs === 0 ? "stopped before it was heard" : `stopped after ${seconds(heardMs)}`);
  }

  failed(words: string): void {
    this.wave.canvas.hidden = true;
    this.meta.classList.add("problem");
    this.meta.textContent = words;
  }

  /** Something to know of it, such as words of a direction that were not understood. */
  warn(words: string): void {
    this.notes.append(make("p", "", sentence(words)));
  }

  /** Shows the controls for what can be done; with a take that was not made nothing can. */
  allow({ direct, edit, keep }: Abilities): void {
    this.box.element.hidden = !(direct && this.made);
    this.keep.hidden = !(keep && this.made);
    if (edit && this.made) this.words.enable();
    else this.words.disable();
  }

  /** Shows whether it is its line's take. */
  keeps(kept: boolean): void {
    this.keep.setAttribute("aria-pressed", String(kept));
    this.keep.title = kept ? "This is the take of its line" : "Keep this take for its line";
  }

  /** Says by which direction it came to be, as soon as that is known. */
  private quote(): void {
    const { direction } = this.take;
    if (direction === undefined || this.asked.querySelector(".direction") !== null) return;
    this.asked.append(make("q", "direction", direction));
  }

  /** Says what a recogniser made of it. */
  private checked(heard: Recognised): void {
    const told = make("p", heard.right ? "checked" : "checked wrong", checked(heard));
    told.title = "A recogniser listened to the changed words before they were played";
    this.meta.after(told);
  }

  private button(button: HTMLButtonElement, label: string, act: () => void): void {
    button.type = "button";
    button.onclick = act;
    button.setAttribute("aria-label", label);
  }

  private tell(words: string): void {
    this.meta.textContent = `${this.name} · ${words}`;
  }
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
