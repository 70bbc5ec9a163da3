import { recall, remember } from "./memory";

export type Mode = "line" | "script";

const PLACEHOLDERS: Readonly<Record<Mode, string>> = {
  line: "Write a line, and hear it at once.",
  script: "ANNA: Is it still raining?\nBEN: (softly) Not any more.",
};

/** Whether what is written is one line or a script with speakers; the last choice is remembered. */
export class ModeSwitch {
  private current: Mode = recall("mode") === "script" ? "script" : "line";

  /** @param shown - what is there in one mode only. */
  constructor(
    place: HTMLElement,
    private readonly area: HTMLTextAreaElement,
    private readonly shown: Readonly<Record<Mode, HTMLElement>>,
  ) {
    for (const input of place.querySelectorAll("input")) {
      input.checked = input.value === this.current;
      input.onchange = () => this.choose(input.value === "script" ? "script" : "line");
    }
    this.show();
  }

  get value(): Mode {
    return this.current;
  }

  private choose(mode: Mode): void {
    this.current = mode;
    remember("mode", mode);
    this.show();
  }

  private show(): void {
    this.area.placeholder = PLACEHOLDERS[this.current];
    this.shown.line.hidden = this.current !== "line";
    this.shown.script.hidden = this.current !== "script";
  }
}
