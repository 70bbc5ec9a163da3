import { VoiceError } from "../errors";
import type { AudioInfo } from "../messages";
import type { Recording } from "../recording";
import { Trimmer } from "../trimmer";
import { OPUS_RATE, type PacketDecoder, type PcmSink } from "./decoder";
import { Pcm16Decoder } from "./pcm16";
import { type DecoderPair, ResilientDecoder } from "./resilient";
import { WasmDecoder } from "./wasm";
import { WebCodecsDecoder } from "./webcodecs";

/** Which decoder this page has come to use for Opus. */
export type OpusDecoderName = "webcodecs" | "wasm";

let opusDecoder: OpusDecoderName = WebCodecsDecoder.available() ? "webcodecs" : "wasm";

export function opusDecoderInUse(): OpusDecoderName {
  return opusDecoder;
}

const OPUS_DECODERS: DecoderPair = {
  first: (sink, onError) =>
    opusDecoder === "webcodecs" ? new WebCodecsDecoder(sink, onError) : undefined,
  second: (sink) => WasmDecoder.create(sink),
  gaveUp: () => {
    opusDecoder = "wasm";
  },
};

/** The sample rate of decoded sound, in Hz. */
export function decodedRate(audio: AudioInfo): number {
  return audio.format === "opus" ? OPUS_RATE : audio.sample_rate;
}

/** Where decoded sound goes. */
export interface SoundSink {
  push: PcmSink;
  /** Resolves when there is room for more; what holds the decoder to a bounded lead. */
  room(): Promise<void>;
  /** Asked between packets; true ends the work early. */
  stopped(): boolean;
}

/**
 * Decodes a recording from its beginning, while it still grows, to exactly the take's samples.
 *
 * @returns the number of samples handed on, at `decodedRate`.
 * @throws VoiceError when there is less or more sound than the take is said to have.
 */
export async function decodeRecording(recording: Recording, sink: SoundSink): Promise<number> {
  const rate = decodedRate(recording.audio);
  const scale = rate / recording.audio.sample_rate;
  const trimmer = new Trimmer(recording.audio.pre_skip * scale);
  const decoder = makeDecoder(recording.audio, (samples) => {
    const kept = trimmer.push(samples);
    if (kept.length > 0 && !sink.stopped()) sink.push(kept);
  });
  try {
    await feed(recording, decoder, sink, (samples) => trimmer.endAt(samples * scale));
  } finally {
    decoder.close();
  }
  if (!sink.stopped()) await check(recording, trimmer, scale);
  return trimmer.emitted;
}

function makeDecoder(audio: AudioInfo, sink: PcmSink): PacketDecoder {
  return audio.format === "opus"
    ? new ResilientDecoder(OPUS_DECODERS, sink)
    : new Pcm16Decoder(audio.sample_rate, sink);
}

async function feed(
  recording: Recording,
  decoder: PacketDecoder,
  sink: SoundSink,
  endAt: (samples: number) => void,
): Promise<void> {
  for await (const packet of recording.packets) {
    await sink.room();
    if (sink.stopped()) return;
    // The last packet is padded; it waits for the count that says where the take ends within it.
    if (packet.last) await setEnd(recording, endAt);
    decoder.decode(packet.payload);
  }
  await setEnd(recording, endAt);
  await decoder.flush();
}

async function setEnd(recording: Recording, endAt: (samples: number) => void): Promise<void> {
  const samples = await recording.end;
  if (samples !== undefined) endAt(samples);
}

async function check(recording: Recording, trimmer: Trimmer, scale: number): Promise<void> {
  const samples = await recording.end;
  if (samples === undefined) return;
  const wanted = samples * scale;
  if (trimmer.emitted !== wanted || trimmer.excess > 0) {
    throw new VoiceError(
      "wrong_length",
      `The take should have ${wanted} samples of sound; ${trimmer.emitted} came.`,
    );
  }
}
