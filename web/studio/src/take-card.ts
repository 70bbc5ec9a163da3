import type { Take, Word } from "voice-server-sdk";
import { icon, make } from "./dom";
import { LitText } from "./lit-text";
import { Waveform } from "./waveform";
import { seconds } from "./words-for";

const PLAY = "M2.5 1v10l8.5-5z";

/** One take in the list: what it says, how it looks, how it went, and a button to hear it again. */
export class TakeCard {
  readonly element: HTMLElement;
  readonly lit: LitText;
  readonly wave = new Waveform();
  private readonly again = make("button", "again");
  private readonly meta = make("p", "meta");
  /** Samples that are drawn, and those that came by in this playing. */
  private drawn = 0;
  private passed = 0;

  constructor(
    readonly take: Take,
    private readonly voiceName: string,
    onAgain: () => void,
  ) {
    const says = make("p", "says");
    this.lit = new LitText(says, take.text);
    this.again.append(icon(PLAY));
    this.again.type = "button";
    this.again.disabled = true;
    this.again.onclick = onAgain;
    this.again.setAttribute("aria-label", `Hear again: ${shortened(take.text)}`);
    this.element = make("li", "take", this.again, says, this.wave.canvas, this.meta);
    this.tell("being made");
  }

  learn(words: readonly Word[]): void {
    this.lit.learn(words);
  }

  /** Draws sound the first time it comes by; a replay brings the same again. */
  draw(samples: Float32Array, sampleRate: number): void {
    const fresh = samples.subarray(Math.max(0, this.drawn - this.passed));
    this.passed += samples.length;
    this.drawn = Math.max(this.drawn, this.passed);
    if (fresh.length > 0) this.wave.add(fresh, sampleRate);
  }

  playing(): void {
    this.passed = 0;
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

  finished(durationMs: number): void {
    this.again.disabled = durationMs === 0;
    this.wave.canvas.hidden = durationMs === 0;
    this.tell(durationMs === 0 ? "nothing to say in it" : seconds(durationMs));
  }

  stopped(heardMs: number): void {
    this.tell(`stopped after ${seconds(heardMs)}`);
  }

  failed(words: string): void {
    this.wave.canvas.hidden = true;
    this.meta.classList.add("problem");
    this.meta.textContent = words;
  }

  private tell(words: string): void {
    this.meta.textContent = `${this.voiceName} · ${words}`;
  }
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
