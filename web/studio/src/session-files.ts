import type { Session, StoredSession } from "voice-server-sdk";

/** What is on the page for files. */
export interface FilePlaces {
  readonly open: HTMLButtonElement;
  /** The browser's own chooser, out of sight. */
  readonly chosen: HTMLInputElement;
  readonly save: HTMLAnchorElement;
}

/** Saves the session as a file, and goes on with one from a file. */
export class SessionFiles {
  constructor(
    private readonly session: Session,
    private readonly places: FilePlaces,
    private readonly told: {
      opened(stored: StoredSession): void;
      failed(error: unknown): void;
    },
  ) {
    const { open, chosen } = places;
    open.onclick = () => chosen.click();
    chosen.onchange = () => void this.open();
    session.on("state", () => this.refresh());
    this.refresh();
  }

  private async open(): Promise<void> {
    const { chosen } = this.places;
    const [file] = chosen.files ?? [];
    if (file === undefined) return;
    this.busy(true);
    try {
      this.told.opened(await this.session.openFile(file));
    } catch (error) {
      this.told.failed(error);
    } finally {
      // Else the same file could not be chosen again.
      chosen.value = "";
      this.busy(false);
    }
  }

  private busy(busy: boolean): void {
    this.places.open.setAttribute("aria-busy", String(busy));
    this.refresh();
  }

  private refresh(): void {
    const { open, save } = this.places;
    const ready = this.session.state.name === "open";
    open.disabled = !ready || open.getAttribute("aria-busy") === "true";
    save.hidden = !ready;
    save.href = this.session.fileAddress ?? "";
  }
}
