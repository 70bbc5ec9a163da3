import { assertNever } from "../never";
import { Playout } from "./playout";
import { levelLimits } from "./start-level";
import {
  type FromWorklet,
  PROCESSOR,
  type ProcessorOptions,
  type ToWorklet,
} from "./worklet-messages";

// The scope of an AudioWorklet, which the compiler's library of the page does not know.
declare const currentFrame: number;
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(
  name: string,
  processor: new (options: { processorOptions: ProcessorOptions }) => AudioWorkletProcessor,
): void;

/** Blocks between two reports: 8 of 128 samples are 21 ms at 48 kHz. */
const REPORT_BLOCKS = 8;

class PlayerProcessor extends AudioWorkletProcessor {
  private readonly playout: Playout;
  private blocks = 0;

  constructor({ processorOptions }: { processorOptions: ProcessorOptions }) {
    super();
    this.playout = new Playout(levelLimits(sampleRate, processorOptions.leadS));
    this.port.onmessage = ({ data }: MessageEvent<ToWorklet>) => this.obey(data);
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const output = outputs[0]?.[0];
    if (output) this.report(this.playout.pull(output), output.length);
    return true;
  }

  private obey(message: ToWorklet): void {
    switch (message.kind) {
      case "open":
        return this.playout.open(message.track, message.mode, message.pause);
      case "push":
        return this.playout.push(message.track, message.samples);
      case "end":
        return this.playout.end(message.track);
      case "drop":
        return this.playout.drop(message.track);
      default:
        return assertNever(message);
    }
  }

  private report(events: FromWorklet["events"], block: number): void {
    this.blocks += 1;
    if (events.length === 0 && this.blocks % REPORT_BLOCKS !== 0) return;
    const reports = this.playout.reports();
    if (events.length === 0 && reports.length === 0) return;
    const message: FromWorklet = { frame: currentFrame, block, events, reports };
    this.port.postMessage(message);
  }
}

registerProcessor(PROCESSOR, PlayerProcessor);
