import type { OpusDecoder } from "opus-decoder";
import { VoiceError } from "../errors";
import { OPUS_RATE, type PacketDecoder, type PcmSink } from "./decoder";

/** Opus by libopus in WebAssembly; loaded only where it is needed. */
export class WasmDecoder implements PacketDecoder {
  readonly sampleRate = OPUS_RATE;

  private constructor(
    private readonly decoder: OpusDecoder,
    private readonly sink: PcmSink,
  ) {}

  static async create(sink: PcmSink): Promise<WasmDecoder> {
    const { OpusDecoder } = await import("opus-decoder");
    const decoder = new OpusDecoder({ channels: 1, streamCount: 1, coupledStreamCount: 0 });
    await decoder.ready;
    return new WasmDecoder(decoder, sink);
  }

  decode(packet: Uint8Array): void {
    const { channelData, errors } = this.decoder.decodeFrame(packet);
    const [first] = errors;
    if (first !== undefined) {
      throw new VoiceError("bad_sound", `The sound can't be decoded: ${first.message}`);
    }
    this.sink((channelData[0] ?? new Float32Array()).slice());
  }

  async flush(): Promise<void> {}

  close(): void {
    this.decoder.free();
  }
}
