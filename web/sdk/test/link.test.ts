import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Link } from "../src/link";

/** A socket of the browser, moved by hand. */
class Socket {
  static readonly OPEN = 1;
  static made: Socket[] = [];
  readyState = 0;
  readonly sent: string[] = [];
  onopen = () => {};
  onmessage = (_: { data: string }) => {};
  onclose = (_: { code: number; reason: string }) => {};

  constructor(
    readonly url: string,
    readonly protocol: string,
  ) {
    Socket.made.push(this);
  }

  open(): void {
    this.readyState = Socket.OPEN;
    this.onopen();
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(code = 1005): void {
    this.drop(code);
  }

  drop(code: number): void {
    this.readyState = 3;
    this.onclose({ code, reason: "" });
  }
}

describe("Link", () => {
  const events = { up: vi.fn(), received: vi.fn(), down: vi.fn() };
  let link: Link;
  const last = () => Socket.made.at(-1) as Socket;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    vi.stubGlobal("WebSocket", Socket);
    Socket.made = [];
    link = new Link("ws://here/v1/session", events);
    link.start();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("asks for our protocol", () => {
    expect(last()).toMatchObject({ url: "ws://here/v1/session", protocol: "voice.v1" });
  });

  it("comes back with growing waits, and with a short one after it was taken in", () => {
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      last().drop(1006);
      waits.push(events.down.mock.lastCall?.[2]);
      vi.advanceTimersByTime(waits[i] ?? 0);
      expect(Socket.made).toHaveLength(i + 2);
    }
    expect(waits[0]).toBeLessThan(400);
    expect(waits[4]).toBeGreaterThan(3000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_000);
    last().open();
    link.settled();
    last().drop(1012);
    expect(events.down.mock.lastCall?.[2]).toBeLessThan(400);
  });

  it("tells a server that was never reached from a connection that was lost", () => {
    last().drop(1006);
    expect(events.down.mock.lastCall?.[1]).toBe("The server can't be reached.");
    vi.advanceTimersByTime(1000);
    last().open();
    last().drop(1006);
    expect(events.down.mock.lastCall?.[1]).toBe("");
  });

  it.each([1000, 1008, 4400])("does not come back after close code %i", (code) => {
    last().open();
    last().drop(code);
    expect(events.down).toHaveBeenCalledWith(code, "", undefined);
    vi.runAllTimers();
    expect(Socket.made).toHaveLength(1);
  });

  it("does not come back after it was closed here, and can be started anew", () => {
    last().open();
    link.close();
    vi.runAllTimers();
    expect(Socket.made).toHaveLength(1);
    link.start();
    last().open();
    last().drop(1006);
    expect(events.down.mock.lastCall?.[2]).toBeGreaterThan(0);
  });

  it("pings a quiet peer, and leaves one that stays silent", () => {
    last().open();
    vi.advanceTimersByTime(20_000);
    expect(last().sent).toEqual(['{"type":"ping"}']);
    last().onmessage({ data: '{"type":"pong"}' });
    vi.advanceTimersByTime(25_000);
    expect(Socket.made).toHaveLength(1);
    vi.advanceTimersByTime(45_000);
    expect(events.down).toHaveBeenCalled();
    expect(Socket.made.length).toBeGreaterThan(1);
  });
});
