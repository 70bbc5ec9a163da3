import type { PacketDecoder, PcmSink } from "./decoder";

/** PCM16, little-endian: no codec at all. */
export class Pcm16Decoder implements PacketDecoder {
  constructor(
    readonly sampleRate: number,
    private readonly sink: PcmSink,
  ) {}

  decode(packet: Uint8Array): void {
    const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
    const samples = new Float32Array(packet.byteLength >> 1);
    for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(2 * i, true) / 32768;
    this.sink(samples);
  }

  async flush(): Promise<void> {}

  close(): void {}
}
