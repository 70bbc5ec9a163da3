import type { Session, SessionState } from "voice-server-sdk";
import { make } from "./dom";
import { sentence } from "./words-for";

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
        return this.end(state.reason);
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
    const why = await notReady();
    if (this.session.state.name === "open" || this.session.state.name === "closed") return;
    if (why === undefined) this.say(name, words);
    else this.say("loading", why);
  }

  private end(reason: string): void {
    this.say("closed", reason);
    const again = make("button", "connect", "Connect again");
    again.type = "button";
    again.onclick = () => this.session.start();
    this.words.append(" ", again);
  }

  private say(name: LinkState, words: string): void {
    this.place.dataset.state = name;
    if (this.words.textContent !== words) this.words.textContent = words;
  }
}

/** Why the server can't speak yet, in its own words; undefined where it can, or can't be reached. */
async function notReady(): Promise<string | undefined> {
  try {
    const response = await fetch("readyz", { cache: "no-store" });
    return response.status === 503 ? reasonIn(await response.json()) : undefined;
  } catch {
    return undefined;
  }
}

function reasonIn(body: unknown): string {
  const { reasons } = body as { reasons?: unknown };
  const first: unknown = Array.isArray(reasons) ? reasons[0] : undefined;
  if (typeof first !== "string" || first === "") return "The voice is loading…";
  return sentence(first);
}
