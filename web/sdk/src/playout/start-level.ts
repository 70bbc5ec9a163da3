/** In samples. `decayAfter` is how much must play cleanly before the level comes down a step. */
export interface LevelLimits {
  readonly least: number;
  readonly most: number;
  readonly decayAfter: number;
}

/**
 * The limits for a server that sends at most `leadS` seconds ahead of the listener. The level must
 * stay under that lead, or both would wait for the other for ever.
 */
export function levelLimits(sampleRate: number, leadS: number): LevelLimits {
  const most = Math.min(1.5, 0.6 * leadS) * sampleRate;
  return { least: Math.min(most, 0.04 * sampleRate), most, decayAfter: 5 * sampleRate };
}

const DECAY = 0.6;

/**
 * How much sound must lie ready, or for how long sound must be held back, before playing starts or
 * starts again: little at first, grown to what a starvation has shown to be missing, and brought
 * down again while all goes well.
 */
export class StartLevel {
  private level: number;
  private clean = 0;

  constructor(private readonly limits: LevelLimits) {
    this.level = limits.least;
  }

  get samples(): number {
    return this.level;
  }

  /** Nothing was there to play for `samples`, or is still missing after as long. */
  starved(samples: number): void {
    this.clean = 0;
    this.level = Math.min(this.limits.most, Math.max(this.level, this.limits.least + samples));
  }

  played(samples: number): void {
    this.clean += samples;
    if (this.clean < this.limits.decayAfter) return;
    this.clean = 0;
    this.level = Math.max(this.limits.least, this.level * DECAY);
  }
}
