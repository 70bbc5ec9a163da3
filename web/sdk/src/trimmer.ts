/**
 * Cuts decoded sound to what was made: `preSkip` samples off the front, everything past `total`
 * off the end. All counts are at the decoder's sample rate.
 */
export class Trimmer {
  private toSkip: number;
  private total = Number.POSITIVE_INFINITY;
  private count = 0;

  constructor(preSkip: number) {
    this.toSkip = preSkip;
  }

  /** Samples let through so far. */
  get emitted(): number {
    return this.count;
  }

  /** Says where the take ends; what was let through past it can't be taken back (see `excess`). */
  endAt(total: number): void {
    this.total = total;
  }

  /** Samples let through past the end: 0 unless the end was said too late. */
  get excess(): number {
    return Math.max(0, this.count - this.total);
  }

  /** The part of `samples` that belongs to the take; may be empty. */
  push(samples: Float32Array): Float32Array {
    const skipped = Math.min(this.toSkip, samples.length);
    this.toSkip -= skipped;
    const room = Math.max(0, this.total - this.count);
    const kept = samples.subarray(skipped, Math.min(samples.length, skipped + room));
    this.count += kept.length;
    return kept;
  }
}
