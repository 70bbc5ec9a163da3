import { decodedRate } from "../decode/decode";
import { VoiceError } from "../errors";
import type { AudioInfo } from "../messages";
import type { Recording } from "../recording";
import { Playback } from "./playback";
import type { PlayMode } from "./playout";
import {
  type FromWorklet,
  PROCESSOR,
  type ProcessorOptions,
  type ToWorklet,
} from "./worklet-messages";

export interface PlayerOptions {
  /** Where the worklet's script is served; beside this script unless said. */
  readonly workletUrl?: string | URL;
  /** How far ahead of the listener the server sends, in ms. */
  readonly leadMs?: number;
}

/** The browser's sound output, and the takes that play or wait on it. */
export class Player {
  private readonly playbacks = new Map<number, Playback>();
  private nextTrack = 1;

  private constructor(
    readonly context: AudioContext,
    private readonly node: AudioWorkletNode,
  ) {
    node.port.onmessage = ({ data }: MessageEvent<FromWorklet>) => this.hear(data);
  }

  /**
   * Opens the output at the rate that `audio` decodes to, so that no sample is made anew on the
   * way. Call it from a click or a key press: browsers hold sound back before one.
   *
   * @throws VoiceError where the browser gives no sound to this page.
   */
  static async open(audio: AudioInfo, options: PlayerOptions = {}): Promise<Player> {
    const context = new AudioContext({
      sampleRate: decodedRate(audio),
      latencyHint: "interactive",
    });
    if (context.audioWorklet === undefined) {
      throw new VoiceError(
        "no_sound_output",
        "This browser plays sound only for pages served over https or from this same machine.",
      );
    }
    void context.resume();
    try {
      return new Player(context, await makeNode(context, options));
    } catch (error) {
      void context.close();
      throw error;
    }
  }

  /** Lets sound out where the browser held it back; only works after a click or a key press. */
  resume(): void {
    void this.context.resume();
  }

  /** Plays a recording from its beginning, also while it still grows, `pauseMs` after its turn. */
  play(recording: Recording, mode: PlayMode = "queued", pauseMs = 0): Playback {
    const track = this.nextTrack++;
    const playback = new Playback(recording, {
      context: this.context,
      send: (message) => this.node.port.postMessage(message, transferable(message)),
      track,
    });
    this.playbacks.set(track, playback);
    void playback.ended.finally(() => this.playbacks.delete(track));
    playback.begin(mode, pauseMs);
    return playback;
  }

  stopAll(): void {
    for (const playback of this.playbacks.values()) playback.stop();
  }

  async close(): Promise<void> {
    this.stopAll();
    await this.context.close();
  }

  private hear({ frame, block, events, reports }: FromWorklet): void {
    for (const report of reports) this.playbacks.get(report.track)?.report(report, frame + block);
    for (const event of events) this.playbacks.get(event.track)?.follow(event, frame);
  }
}

function transferable(message: ToWorklet): Transferable[] {
  return message.kind === "push" ? [message.samples.buffer] : [];
}

const DEFAULT_LEAD_MS = 500;

async function makeNode(context: AudioContext, options: PlayerOptions): Promise<AudioWorkletNode> {
  const beside = new URL("./player-worklet.js", import.meta.url);
  await context.audioWorklet.addModule(String(options.workletUrl ?? beside));
  const processorOptions: ProcessorOptions = {
    leadS: (options.leadMs ?? DEFAULT_LEAD_MS) / 1000,
  };
  const shape = { numberOfInputs: 0, outputChannelCount: [1], processorOptions };
  const node = new AudioWorkletNode(context, PROCESSOR, shape);
  node.connect(context.destination);
  return node;
}
