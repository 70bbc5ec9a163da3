export { type OpenOptions, type Received, SessionCore } from "./core";
export { decodedRate, type OpusDecoderName, opusDecoderInUse } from "./decode/decode";
export { closeReason, ProtocolError, VoiceError } from "./errors";
export { type AudioFrame, parseAudioFrame } from "./frame";
export { Log } from "./log";
export type * from "./messages";
export { parseServerMessage } from "./parse";
export type { Playback, PlaybackEnd, PlaybackEvents } from "./playout/playback";
export { Player, type PlayerOptions } from "./playout/player";
export type { PlayMode } from "./playout/playout";
export type { Underrun } from "./playout/track";
export { type Packet, Recording } from "./recording";
export {
  connect,
  Session,
  type SessionEvents,
  type SessionOptions,
  type SessionState,
} from "./session";
export {
  type SpeakOptions,
  Take,
  type TakeEvents,
  type TakeResult,
  type TakeState,
  type TakeTiming,
  type Word,
} from "./take";
