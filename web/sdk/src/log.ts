import { deferred } from "./deferred";

/**
 * A list that grows until it is closed, and that any number of readers may walk from its
 * beginning, each waiting at the end for what is still to come.
 */
export class Log<T> implements AsyncIterable<T> {
  readonly items: T[] = [];
  private closed = false;
  private wake = deferred<void>();

  push(item: T): void {
    if (this.closed) return;
    this.items.push(item);
    this.stir();
  }

  close(): void {
    this.closed = true;
    this.stir();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.items.length) {
        if (this.closed) return;
        await this.wake.promise;
      }
      yield this.items[next] as T;
    }
  }

  private stir(): void {
    const { resolve } = this.wake;
    this.wake = deferred<void>();
    resolve();
  }
}
