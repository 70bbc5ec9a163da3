import { OPUS_RATE, type PacketDecoder, type PcmSink } from "./decoder";

/** Opus by the browser's own WebCodecs. */
export class WebCodecsDecoder implements PacketDecoder {
  readonly sampleRate = OPUS_RATE;
  private readonly decoder: AudioDecoder;
  private fed = 0;

  /** @param onError is called once, when the browser gives up on the stream. */
  constructor(sink: PcmSink, onError: () => void) {
    this.decoder = new AudioDecoder({ output: (data) => sink(samplesOf(data)), error: onError });
    this.decoder.configure({ codec: "opus", sampleRate: OPUS_RATE, numberOfChannels: 1 });
  }

  static available(): boolean {
    return typeof AudioDecoder === "function" && typeof EncodedAudioChunk === "function";
  }

  decode(packet: Uint8Array): void {
    // Only the order matters here: the sound is counted in samples, never by these stamps.
    const timestamp = this.fed++ * 20_000;
    this.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp, data: packet.slice() }));
  }

  async flush(): Promise<void> {
    await this.decoder.flush();
  }

  close(): void {
    if (this.decoder.state !== "closed") this.decoder.close();
  }
}

function samplesOf(data: AudioData): Float32Array {
  const samples = new Float32Array(data.numberOfFrames);
  data.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
  data.close();
  return samples;
}
