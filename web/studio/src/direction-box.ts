import { make } from "./dom";

/** Where a take is told how it should have been: Enter has it said so. */
export class DirectionBox {
  readonly element = make("form", "direct");
  private readonly input = make("input", "");

  constructor(text: string, onDirection: (direction: string) => void) {
    this.input.placeholder = "Direct it: a little gentler, a bit sadder";
    this.input.setAttribute("aria-label", `How to say “${text}” instead`);
    this.input.enterKeyHint = "go";
    this.input.autocomplete = "off";
    this.element.append(this.input);
    this.element.onsubmit = (event) => {
      event.preventDefault();
      const direction = this.input.value.trim();
      this.input.value = "";
      if (direction !== "") onDirection(direction);
    };
  }
}
