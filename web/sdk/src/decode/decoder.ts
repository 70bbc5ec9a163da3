/** Takes what was decoded, in order. */
export type PcmSink = (samples: Float32Array) => void;

/** Turns the packets of one take into sound, mono, within ±1, at `sampleRate`. */
export interface PacketDecoder {
  readonly sampleRate: number;
  decode(packet: Uint8Array): void;
  /** Resolves when all that was given is decoded and handed on. */
  flush(): Promise<void>;
  close(): void;
}

/** Opus always decodes at this rate here: WebCodecs gives it whatever is asked of it. */
export const OPUS_RATE = 48_000;
