import type { TimeSpan } from "voice-server-sdk";

const STEP_MS = 40;
const GAP = 0.35;

/** In pixels of the canvas: its height, a bar with its gap, and how many bars there are. */
interface Sheet {
  readonly height: number;
  readonly wide: number;
  readonly count: number;
}

/** The loudness of a take over time, drawn as bars, the heard part in full colour. */
export class Waveform {
  readonly canvas = document.createElement("canvas");
  private readonly peaks: number[] = [];
  private peak = 0;
  private counted = 0;
  private planned = false;
  private heardMs = Number.POSITIVE_INFINITY;
  private marked: readonly TimeSpan[] = [];

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

  /** Shows these stretches apart from the rest. */
  mark(spans: readonly TimeSpan[]): void {
    this.marked = spans;
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
    const wide = 4 * ratio;
    const count = Math.min(Math.floor(width / wide), this.peaks.length);
    if (count > 0) this.paint(context, { height, wide, count });
  }

  /** A short take is drawn bar by bar from the left; a long one is squeezed into the width. */
  private paint(context: CanvasRenderingContext2D, sheet: Sheet): void {
    const style = getComputedStyle(this.canvas);
    const mark = style.getPropertyValue("--mark");
    this.bands(context, sheet, mark);
    const loudest = Math.max(0.05, this.loudest(0, this.peaks.length));
    for (let i = 0; i < sheet.count; i += 1) {
      const from = Math.floor((i * this.peaks.length) / sheet.count);
      const to = Math.max(from + 1, Math.floor(((i + 1) * this.peaks.length) / sheet.count));
      const middle = ((from + to) / 2) * STEP_MS;
      context.fillStyle = this.isMarked(middle) ? mark : style.color;
      context.globalAlpha = from * STEP_MS <= this.heardMs ? 1 : 0.3;
      this.bar(context, sheet, i, this.loudest(from, to) / loudest);
    }
  }

  private bar(context: CanvasRenderingContext2D, sheet: Sheet, i: number, share: number): void {
    const { height, wide } = sheet;
    const tall = Math.max(2, share * height);
    context.beginPath();
    context.roundRect(i * wide, (height - tall) / 2, wide * (1 - GAP), tall, wide);
    context.fill();
  }

  /** Behind the bars, so that a cut that left nothing behind can be seen too. */
  private bands(context: CanvasRenderingContext2D, sheet: Sheet, colour: string): void {
    const { height, wide, count } = sheet;
    const perMs = (count * wide) / (this.peaks.length * STEP_MS);
    context.fillStyle = colour;
    context.globalAlpha = 0.16;
    for (const { startMs, endMs } of this.marked) {
      const long = Math.max(wide, (endMs - startMs) * perMs);
      context.beginPath();
      context.roundRect(startMs * perMs, 0, long, height, wide);
      context.fill();
    }
  }

  private isMarked(ms: number): boolean {
    return this.marked.some(({ startMs, endMs }) => startMs <= ms && ms < endMs);
  }

  private loudest(from: number, to: number): number {
    let loudest = 0;
    for (let i = from; i < to; i += 1) loudest = Math.max(loudest, this.peaks[i] ?? 0);
    return loudest;
  }
}
