import { mayReconnect } from "./errors";

export interface LinkEvents {
  /** A socket is there; the first message may be sent. */
  up(): void;
  received(data: string | ArrayBuffer): void;
  /** The socket is gone; `retryInMs` is undefined when it will not be tried again. */
  down(code: number, reason: string, retryInMs: number | undefined): void;
}

const SUBPROTOCOL = "voice.v1";
const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 8_000;
const QUIET_MS = 15_000;
const UNREACHED = "The server can't be reached.";
const PING = JSON.stringify({ type: "ping" });

/** A socket that comes back: tries again with growing waits, and notices a peer gone silent. */
export class Link {
  private socket: WebSocket | undefined;
  private tries = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  private heardAt = 0;
  private finished = false;

  constructor(
    private readonly url: string,
    private readonly events: LinkEvents,
  ) {}

  start(): void {
    this.finished = false;
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    let reached = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      reached = true;
      this.up();
    };
    socket.onmessage = ({ data }) => {
      this.heardAt = performance.now();
      this.events.received(data);
    };
    socket.onclose = ({ code, reason }) => this.down(socket, code, reached ? reason : UNREACHED);
    this.socket = socket;
  }

  /** Says that the peer took us in, so that the next wait is a short one again. */
  settled(): void {
    this.tries = 0;
  }

  send(text: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  /** Drops this socket and tries a new one at once; without a reason, as if it was lost. */
  restart(reason = ""): void {
    const { socket } = this;
    if (socket !== undefined) this.down(socket, 1006, reason, 0);
    socket?.close();
  }

  close(): void {
    this.finished = true;
    clearTimeout(this.retry);
    clearInterval(this.watch);
    this.socket?.close(1000);
  }

  private up(): void {
    this.heardAt = performance.now();
    this.watch = setInterval(() => this.checkPeer(), QUIET_MS);
    this.events.up();
  }

  private checkPeer(): void {
    const quiet = performance.now() - this.heardAt;
    if (quiet > 2.5 * QUIET_MS) this.restart();
    else if (quiet > QUIET_MS / 2) this.send(PING);
  }

  private down(socket: WebSocket, code: number, reason: string, waitMs?: number): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    clearInterval(this.watch);
    const again = !this.finished && mayReconnect(code);
    const retryInMs = again ? (waitMs ?? this.nextWait()) : undefined;
    if (retryInMs !== undefined) this.retry = setTimeout(() => this.start(), retryInMs);
    this.events.down(code, reason, retryInMs);
  }

  private nextWait(): number {
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.tries);
    this.tries += 1;
    // Spread, so that many pages do not come back in the same moment.
    return wait * (0.75 + 0.5 * Math.random());
  }
}
