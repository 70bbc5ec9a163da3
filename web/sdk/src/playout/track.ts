import type { StartLevel } from "./start-level";

/** A time in which the listener had nothing to hear: `at` samples into the take, for `length`. */
export interface Underrun {
  readonly at: number;
  readonly length: number;
}

export type TrackState = "waiting" | "playing" | "starved" | "ended";

/**
 * The jitter buffer of one take. Sound goes in as it is decoded and comes out as it is due; what
 * comes out is exactly what went in, with silence of the player's own between where it starved.
 */
export class Track {
  private readonly chunks: Float32Array[] = [];
  private offset = 0;
  private buffered = 0;
  private complete = false;
  private hunger = 0;
  /** For how long there has been sound that was held back. */
  private waited = 0;
  private now: TrackState = "waiting";
  played = 0;

  constructor(private readonly level: StartLevel) {}

  get state(): TrackState {
    return this.now;
  }

  push(samples: Float32Array): void {
    if (samples.length === 0) return;
    this.chunks.push(samples);
    this.buffered += samples.length;
  }

  /** No more sound will come. */
  end(): void {
    this.complete = true;
  }

  /**
   * Adds the next samples to `output`.
   *
   * @returns the underrun that ended with this call, if one did.
   */
  pull(output: Float32Array): Underrun | undefined {
    let ended: Underrun | undefined;
    if (this.now === "waiting" || this.now === "starved") {
      if (this.ready()) ended = this.begin();
      else this.hold(output.length);
    }
    if (this.now === "playing") this.play(output);
    return ended;
  }

  /** The next few samples, fading out: what is heard when the take is dropped. */
  tail(length: number): Float32Array {
    const tail = new Float32Array(this.now === "playing" ? length : 0);
    this.copy(tail);
    for (let i = 0; i < tail.length; i += 1) tail[i] = (tail[i] as number) * (1 - i / tail.length);
    return tail;
  }

  private ready(): boolean {
    // Waiting as long as the level is worth protects as well as having as much sound.
    return this.complete || Math.max(this.buffered, this.waited) >= this.level.samples;
  }

  private begin(): Underrun | undefined {
    const { hunger } = this;
    this.hunger = 0;
    this.waited = 0;
    this.now = "playing";
    // A wait after which nothing more came was the end of the take, not a lack of sound.
    return hunger > 0 && this.buffered > 0 ? { at: this.played, length: hunger } : undefined;
  }

  private hold(length: number): void {
    if (this.buffered > 0) this.waited += length;
    if (this.now === "starved") this.starve(length);
  }

  private play(output: Float32Array): void {
    const copied = this.copy(output);
    this.played += copied;
    this.level.played(copied);
    if (this.buffered > 0) return;
    if (this.complete) this.now = "ended";
    else if (copied < output.length) {
      this.now = "starved";
      this.starve(output.length - copied);
    }
  }

  private starve(length: number): void {
    this.hunger += length;
    this.level.starved(this.hunger);
  }

  private copy(output: Float32Array): number {
    let written = 0;
    for (let head = this.chunks[0]; head && written < output.length; head = this.chunks[0]) {
      const part = head.subarray(this.offset, this.offset + output.length - written);
      for (let i = 0; i < part.length; i += 1) {
        output[written + i] = (output[written + i] as number) + (part[i] as number);
      }
      written += part.length;
      this.offset += part.length;
      if (this.offset === head.length) {
        this.chunks.shift();
        this.offset = 0;
      }
    }
    this.buffered -= written;
    return written;
  }
}
