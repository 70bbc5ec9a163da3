import { type Deferred, deferred } from "./deferred";
import type { VoiceError } from "./errors";

/** Commands that wait for a plain yes or no, by their mark. */
export class Answers {
  private readonly waiting = new Map<string, Deferred<void>>();

  /** Resolves when the server has done what `mark` asked; rejects with its words if it did not. */
  wait(mark: string): Promise<void> {
    const answer = deferred<void>();
    this.waiting.set(mark, answer);
    return answer.promise.finally(() => this.waiting.delete(mark));
  }

  yes(mark: string | undefined): void {
    this.find(mark)?.resolve();
  }

  /** @returns whether anyone waited for it. */
  no(mark: string | undefined, error: VoiceError): boolean {
    const answer = this.find(mark);
    answer?.reject(error);
    return answer !== undefined;
  }

  failAll(error: VoiceError): void {
    for (const answer of this.waiting.values()) answer.reject(error);
  }

  private find(mark: string | undefined): Deferred<void> | undefined {
    return mark === undefined ? undefined : this.waiting.get(mark);
  }
}
