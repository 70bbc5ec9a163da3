import type { Session, SessionState } from "voice-server-sdk";

export type LinkState = "connecting" | "loading" | "open" | "reconnecting" | "closed";

const ASK_MS = 1000;

/**
 * Shows how the connection stands. While the server is up and its voice still loads, `/readyz` says
 * so, and the page tells that instead of a failure.
 */
export class ConnectionView {
  private asking: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly session: Session,
    private readonly place: HTMLElement,
    private readonly words: HTMLElement,
  ) {
    session.on("state", (state) => this.show(state));
    this.show(session.state);
  }

  private show(state: SessionState): void {
    clearInterval(this.asking);
    switch (state.name) {
      case "open":
        return this.say("open", `Ready · ${state.opened.engine.model}`);
      case "closed":
        return this.say("closed", state.reason);
      case "connecting":
        return this.wait("connecting", "Connecting…");
      case "reconnecting":
        return this.wait("reconnecting", `${state.reason} Trying again…`);
    }
  }

  private wait(name: LinkState, words: string): void {
    if (this.place.dataset.state !== "loading") this.say(name, words);
    this.asking = setInterval(() => void this.ask(words, name), ASK_MS);
    void this.ask(words, name);
  }

  private async ask(words: string, name: LinkState): Promise<void> {
    const status = await readiness();
    if (this.session.state.name === "open" || this.session.state.name === "closed") return;
    if (status === 503) this.say("loading", "The voice is loading…");
    else this.say(name, words);
  }

  private say(name: LinkState, words: string): void {
    this.place.dataset.state = name;
    if (this.words.textContent !== words) this.words.textContent = words;
  }
}

/** The status of `/readyz`; 0 where the server can't be reached at all. */
async function readiness(): Promise<number> {
  try {
    return (await fetch("readyz", { cache: "no-store" })).status;
  } catch {
    return 0;
  }
}
