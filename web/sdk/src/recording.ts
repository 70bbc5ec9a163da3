import { deferred } from "./deferred";
import { Log } from "./log";
import type { AudioInfo } from "./messages";

export interface Packet {
  readonly payload: Uint8Array;
  readonly last: boolean;
}

/**
 * The packets of one take as they came: small (about 4 kB a second as Opus), so that it can be
 * kept and played again. `end` says how many samples the take has, at `audio.sample_rate`, or
 * undefined when it was cut short.
 */
export class Recording {
  readonly packets: Log<Packet>;
  private readonly ending = deferred<number | undefined>();

  /** `fetch`: fills it in, when it is first read; one that fails is tried again at the next read. */
  constructor(
    readonly audio: AudioInfo,
    fetch?: (recording: Recording) => Promise<void>,
  ) {
    this.packets = fetch === undefined ? new Log() : new FetchedLog(() => fetch(this));
  }

  get end(): Promise<number | undefined> {
    return this.ending.promise;
  }

  add(packet: Packet): void {
    this.packets.push(packet);
  }

  finish(samples: number): void {
    this.ending.resolve(samples);
    this.packets.close();
  }

  abandon(): void {
    this.ending.resolve(undefined);
    this.packets.close();
  }
}

/** A log that is filled when somebody first reads it. */
class FetchedLog<T> extends Log<T> {
  private fetched: Promise<void> | undefined;

  constructor(private readonly fetch: () => Promise<void>) {
    super();
  }

  override async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    this.fetched ??= this.fetch().catch((error: unknown) => {
      this.fetched = undefined;
      throw error;
    });
    await this.fetched;
    yield* super[Symbol.asyncIterator]();
  }
}
