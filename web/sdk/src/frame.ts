import { ProtocolError } from "./errors";

/** One packet of a take, as the binary frame carries it. */
export interface AudioFrame {
  readonly stream: number;
  readonly seq: number;
  /** Samples from the take's start, at the session's sample rate. */
  readonly timestamp: number;
  /** The take's last packet. */
  readonly last: boolean;
  /** One raw Opus packet or one block of PCM16; a view into the frame's own memory. */
  readonly payload: Uint8Array;
}

export const HEADER_BYTES = 20;
const VERSION = 1;
const KIND_AUDIO = 1;
const FLAG_LAST = 1;

/**
 * Reads one audio frame: 20 bytes of little-endian header, then the payload.
 *
 * @throws ProtocolError when it is too short or of another version or kind.
 */
export function parseAudioFrame(data: ArrayBuffer | Uint8Array): AudioFrame {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  if (bytes.byteLength <= HEADER_BYTES) {
    throw new ProtocolError(
      `An audio frame has a header of ${HEADER_BYTES} bytes and a payload; got ${bytes.byteLength} bytes.`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  expect("version", view.getUint8(0), VERSION);
  expect("kind", view.getUint8(1), KIND_AUDIO);
  return {
    last: (view.getUint16(2, true) & FLAG_LAST) !== 0,
    stream: view.getUint32(4, true),
    seq: view.getUint32(8, true),
    timestamp: readTimestamp(view),
    payload: bytes.subarray(HEADER_BYTES),
  };
}

function expect(field: string, got: number, wanted: number): void {
  if (got !== wanted) {
    throw new ProtocolError(`An audio frame has ${field} ${wanted}; got ${got}.`, field);
  }
}

function readTimestamp(view: DataView): number {
  const timestamp = view.getBigUint64(12, true);
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ProtocolError(`Timestamp ${timestamp} is past what can be counted.`, "timestamp");
  }
  return Number(timestamp);
}
