import { make } from "./dom";

const WARNING_MS = 9_000;

/** What went wrong, in plain words; errors stay until they are put away. */
export class Notices {
  private readonly shown = new Map<string, HTMLElement>();

  constructor(private readonly place: HTMLElement) {}

  error(words: string): void {
    this.show(words, "notice");
  }

  warning(words: string): void {
    const notice = this.show(words, "notice warning");
    setTimeout(() => this.remove(words, notice), WARNING_MS);
  }

  clear(): void {
    for (const [words, notice] of this.shown) this.remove(words, notice);
  }

  private show(words: string, className: string): HTMLElement {
    const known = this.shown.get(words);
    if (known !== undefined) return known;
    const close = make("button", "", "✕");
    close.type = "button";
    close.setAttribute("aria-label", "Put this message away");
    const notice = make("div", className, make("span", "", words), close);
    close.onclick = () => this.remove(words, notice);
    this.shown.set(words, notice);
    this.place.append(notice);
    return notice;
  }

  private remove(words: string, notice: HTMLElement): void {
    notice.remove();
    this.shown.delete(words);
  }
}
