import { deferred } from "../deferred";
import { OPUS_RATE, type PacketDecoder, type PcmSink } from "./decoder";

/** How the two decoders are made; `first` returns undefined where the browser has none. */
export interface DecoderPair {
  first(sink: PcmSink, onError: () => void): PacketDecoder | undefined;
  second(sink: PcmSink): Promise<PacketDecoder>;
  /** Told when the first was given up, so that later takes need not try it again. */
  gaveUp?(): void;
}

/** How long the first decoder may take over its first sound, and over a flush, in ms. */
export const DECODE_DEADLINE_MS = 500;

/**
 * Decodes with the first decoder, and with the second where the first is missing, fails, or gives
 * nothing in time. The second then starts at the take's first packet, and what was already handed
 * on is not handed on again; both decode a packet to the same number of samples.
 */
export class ResilientDecoder implements PacketDecoder {
  readonly sampleRate = OPUS_RATE;
  private readonly fed: Uint8Array[] = [];
  private readonly failure = deferred<void>();
  private first: PacketDecoder | undefined;
  private second: PacketDecoder | undefined;
  private switching: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private delivered = 0;
  private closed = false;

  constructor(
    private readonly pair: DecoderPair,
    private readonly sink: PcmSink,
  ) {
    const first = this.tryFirst(() =>
      pair.first(
        (samples) => this.deliver(samples),
        () => this.giveUp(),
      ),
    );
    if (first === undefined) this.giveUp();
    if (this.switching === undefined) this.first = first;
  }

  decode(packet: Uint8Array): void {
    this.fed.push(packet);
    if (this.second !== undefined) this.second.decode(packet);
    const { first } = this;
    if (first === undefined) return;
    this.timer ??= this.delivered === 0 ? this.deadline() : undefined;
    this.tryFirst(() => first.decode(packet));
  }

  async flush(): Promise<void> {
    if (this.first !== undefined) await this.flushFirst(this.first);
    await this.switching;
    await this.second?.flush();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.first?.close();
    this.second?.close();
  }

  private deliver(samples: Float32Array): void {
    if (this.first === undefined) return;
    clearTimeout(this.timer);
    this.delivered += samples.length;
    this.sink(samples);
  }

  private async flushFirst(first: PacketDecoder): Promise<void> {
    const timer = this.deadline();
    const flushed = first.flush().catch(() => this.giveUp());
    await Promise.race([flushed, this.failure.promise]);
    clearTimeout(timer);
    if (this.delivered === 0 && this.fed.length > 0) this.giveUp();
  }

  private deadline(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.giveUp(), DECODE_DEADLINE_MS);
  }

  private tryFirst<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch {
      // Whatever the browser's decoder throws, the other one takes over; nothing is lost.
      this.giveUp();
      return undefined;
    }
  }

  private giveUp(): void {
    if (this.switching !== undefined || this.closed) return;
    const { first } = this;
    this.first = undefined;
    first?.close();
    this.pair.gaveUp?.();
    this.switching = this.switchOver();
    // Whoever flushes hears of a second failure; a take that was stopped before need not.
    this.switching.catch(() => undefined);
    this.failure.resolve();
  }

  private async switchOver(): Promise<void> {
    clearTimeout(this.timer);
    let skip = this.delivered;
    const second = await this.pair.second((samples) => {
      const skipped = Math.min(skip, samples.length);
      skip -= skipped;
      if (skipped < samples.length) this.sink(samples.subarray(skipped));
    });
    if (this.closed) return second.close();
    for (const packet of this.fed) second.decode(packet);
    this.second = second;
  }
}
