/** What can go wrong, as a stable `code` for machines and a message in plain words for people. */
export class VoiceError extends Error {
  override readonly name = "VoiceError";

  constructor(
    readonly code: string,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** A peer that does not speak `voice.v1`; the message says what was expected. */
export class ProtocolError extends VoiceError {
  constructor(message: string, field?: string) {
    super("bad_protocol", message, field);
  }
}

const CLOSE_REASONS: Readonly<Record<number, string>> = {
  1000: "The session is closed.",
  1006: "The connection was lost.",
  1008: "The server does not allow this page to connect.",
  1009: "The message was too large for the server.",
  1011: "The server had a fault of its own.",
  1012: "The server is restarting.",
  1013: "The server is full at the moment. Try again in a little while.",
  4400: "The server and this page do not speak the same protocol.",
};

/** Plain words for a socket's close code; the server's own reason wins where it gave one. */
export function closeReason(code: number, reason: string): string {
  return reason || CLOSE_REASONS[code] || `The connection was closed (code ${code}).`;
}

/** Whether trying again can help: not after a goodbye, a refusal or another protocol. */
export function mayReconnect(code: number): boolean {
  return code !== 1000 && code !== 1008 && code !== 4400;
}
