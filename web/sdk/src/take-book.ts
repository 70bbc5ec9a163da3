import type { VoiceError } from "./errors";
import type { Take } from "./take";

/** The takes under way, by the mark of what asked for them. A settled one is not among them. */
export class TakeBook {
  private readonly takes = new Map<string, Take>();

  get all(): readonly Take[] {
    return [...this.takes.values()];
  }

  add(take: Take): void {
    this.takes.set(take.mark, take);
    take.on("settled", () => this.takes.delete(take.mark));
  }

  byMark(mark: string | undefined): Take | undefined {
    return mark === undefined ? undefined : this.takes.get(mark);
  }

  byId(id: string | undefined): Take | undefined {
    return id === undefined ? undefined : this.all.find((take) => take.id === id);
  }

  failAll(error: VoiceError): void {
    for (const take of this.all) take.fail(error);
  }
}
