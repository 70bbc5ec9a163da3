export { connect } from "./connect";
export { type OpenOptions, type Received, SessionCore } from "./core";
export { decodedRate, type OpusDecoderName, opusDecoderInUse } from "./decode/decode";
export { closeReason, ProtocolError, VoiceError } from "./errors";
export { type AudioFrame, parseAudioFrame } from "./frame";
export { Log } from "./log";
export type * from "./messages";
export { parseServerMessage } from "./parse";
export type { Levers, Performance } from "./performance";
export type { Playback, PlaybackEnd, PlaybackEvents } from "./playout/playback";
export { Player, type PlayerOptions } from "./playout/player";
export type { PlayMode } from "./playout/playout";
export type { Underrun } from "./playout/track";
export { type Packet, Recording } from "./recording";
export { type PerformOptions, Scene, type SceneEvents, type SceneResult } from "./scene";
export { Session, type SessionEvents, type SessionOptions, type SessionState } from "./session";
export type {
  SessionTicket,
  StoredLine,
  StoredScene,
  StoredSession,
  StoredTake,
  StoredWord,
} from "./stored";
export { Take } from "./take";
export type {
  DirectOptions,
  EditOptions,
  EditRequest,
  Made,
  SpeakOptions,
  TakeEvents,
  TakeResult,
  TakeState,
  TakeTiming,
  TimeSpan,
  Word,
} from "./take-types";
