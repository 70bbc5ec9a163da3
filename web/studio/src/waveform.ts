const STEP_MS = 40;
const GAP = 0.35;

/** The loudness of a take over time, drawn as bars, the heard part in full colour. */
export class Waveform {
  readonly canvas = document.createElement("canvas");
  private readonly peaks: number[] = [];
  private peak = 0;
  private counted = 0;
  private planned = false;
  private heardMs = Number.POSITIVE_INFINITY;

  constructor() {
    this.canvas.className = "wave";
    this.canvas.setAttribute("aria-hidden", "true");
    new ResizeObserver(() => this.plan()).observe(this.canvas);
  }

  add(samples: Float32Array, sampleRate: number): void {
    const step = (STEP_MS * sampleRate) / 1000;
    for (const sample of samples) {
      this.peak = Math.max(this.peak, Math.abs(sample));
      this.counted += 1;
      if (this.counted >= step) this.close();
    }
    this.plan();
  }

  /** Shows how far it was heard; without a time all of it is in full colour. */
  heard(ms = Number.POSITIVE_INFINITY): void {
    this.heardMs = ms;
    this.plan();
  }

  private close(): void {
    this.peaks.push(this.peak);
    this.peak = 0;
    this.counted = 0;
  }

  /** Draws once before the next frame of the screen, however much has changed by then. */
  private plan(): void {
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      this.draw();
    });
  }

  private draw(): void {
    const { canvas } = this;
    const context = canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth * ratio;
    const height = canvas.clientHeight * ratio;
    if (context === null || width === 0) return;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.clearRect(0, 0, width, height);
    context.fillStyle = getComputedStyle(canvas).color;
    this.bars(context, width, height, 4 * ratio);
  }

  private bars(context: CanvasRenderingContext2D, width: number, height: number, wide: number) {
    const most = Math.floor(width / wide);
    // A short take is drawn bar by bar from the left; a long one is squeezed into the width.
    const count = Math.min(most, this.peaks.length);
    const loudest = Math.max(0.05, this.loudest(0, this.peaks.length));
    for (let i = 0; i < count; i += 1) {
      const from = Math.floor((i * this.peaks.length) / count);
      const to = Math.max(from + 1, Math.floor(((i + 1) * this.peaks.length) / count));
      const tall = Math.max(2, (this.loudest(from, to) / loudest) * height);
      context.globalAlpha = from * STEP_MS <= this.heardMs ? 1 : 0.3;
      context.beginPath();
      context.roundRect(i * wide, (height - tall) / 2, wide * (1 - GAP), tall, wide);
      context.fill();
    }
  }

  private loudest(from: number, to: number): number {
    let loudest = 0;
    for (let i = from; i < to; i += 1) loudest = Math.max(loudest, this.peaks[i] ?? 0);
    return loudest;
  }
}
