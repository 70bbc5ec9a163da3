/** Builds frames as a server writes them, for the tests. */
export interface FrameParts {
  readonly version?: number;
  readonly kind?: number;
  readonly flags?: number;
  readonly stream?: number;
  readonly seq?: number;
  readonly timestamp?: bigint;
  readonly payload?: readonly number[];
}

export function audioFrame(parts: FrameParts = {}): ArrayBuffer {
  const payload = parts.payload ?? [1, 2, 3];
  const view = new DataView(new ArrayBuffer(20 + payload.length));
  view.setUint8(0, parts.version ?? 1);
  view.setUint8(1, parts.kind ?? 1);
  view.setUint16(2, parts.flags ?? 0, true);
  view.setUint32(4, parts.stream ?? 1, true);
  view.setUint32(8, parts.seq ?? 0, true);
  view.setBigUint64(12, parts.timestamp ?? 0n, true);
  new Uint8Array(view.buffer).set(payload, 20);
  return view.buffer as ArrayBuffer;
}

export const OPENED = {
  type: "session.opened",
  session_id: "s1",
  token: "t1",
  resumed: false,
  limits: { resume_s: 60 },
  voices: [{ id: "af_heart", name: "Heart", language: "en-US", gender: "female", tags: ["warm"] }],
  engine: { family: "embedded", model: "kokoro", frame_ms: 75, can: ["speak"] },
  audio: { format: "opus", sample_rate: 24000, channels: 1, pre_skip: 156 },
} as const;

export function started(takeId = "k1", stream = 1, replyTo = "speak-c1") {
  return {
    type: "take.started",
    take_id: takeId,
    line_id: "l1",
    stream,
    voice: "af_heart",
    kind: "spoken",
    text: "Hello.",
    reply_to: replyTo,
  };
}

export function done(takeId = "k1", samples = 1000) {
  return { type: "take.done", take_id: takeId, samples, duration_ms: samples / 24 };
}

export const PERFORMANCE = {
  rate: 0.92,
  vowels: 1,
  pitch: -0.5,
  range: 1,
  ending: 0,
  slope: 0,
  tilt: 0,
  gain: 0,
  breath: 0,
  soft: 0.1,
  tremor: 0,
  tremor_hz: 5.5,
  whisper: false,
  emphasis: 0,
  parts: [],
  pauses: [{ at: 3, seconds: 0.5 }],
} as const;
