import { VoiceError } from "./errors";
import { Fields } from "./fields";
import { Recording } from "./recording";
import { readStored, type SessionTicket, type StoredSession } from "./stored";

/** Decodes a sound file to mono at a rate in Hz. */
export type SoundDecoder = (file: ArrayBuffer, rate: number) => Promise<Float32Array>;

/** What a server keeps, over HTTP: sessions as files, and the sound of takes. */
export class Library {
  private readonly base: URL;

  constructor(
    socketUrl: string,
    private readonly decode: SoundDecoder = decodeSound,
  ) {
    this.base = new URL(socketUrl);
    this.base.protocol = this.base.protocol === "wss:" ? "https:" : "http:";
  }

  /** Where the session can be had as a file that `open` takes, sound and all. */
  address(sessionId: string): string {
    return this.url(`sessions/${encodeURIComponent(sessionId)}?sound=embedded`).href;
  }

  /** Sends a session's file. @throws VoiceError, whose `field` is the place that is wrong in it. */
  async open(file: Blob): Promise<SessionTicket> {
    const answer = await this.ask("sessions", { method: "POST", body: file });
    const told = Fields.of(await answer.json(), "answer");
    return { sessionId: told.string("session_id"), token: told.string("token") };
  }

  /** What was said in a session. */
  async session(sessionId: string): Promise<StoredSession> {
    const answer = await this.ask(`sessions/${encodeURIComponent(sessionId)}`);
    return readStored(await answer.json());
  }

  /** A take's sound at a rate in Hz, fetched when it is first played. */
  recording(takeId: string, rate: number): Recording {
    const audio = { format: "pcm16", sample_rate: rate, channels: 1, pre_skip: 0 } as const;
    return new Recording(audio, (recording) => this.fetch(takeId, recording));
  }

  private async fetch(takeId: string, recording: Recording): Promise<void> {
    const answer = await this.ask(`takes/${encodeURIComponent(takeId)}.wav`);
    const samples = await this.decode(await answer.arrayBuffer(), recording.audio.sample_rate);
    recording.add({ payload: pcm16(samples), last: true });
    recording.finish(samples.length);
  }

  private url(path: string): URL {
    return new URL(path, this.base);
  }

  private async ask(path: string, options: RequestInit = {}): Promise<Response> {
    const answer = await fetch(this.url(path), { cache: "no-store", ...options }).catch(() => {
      throw new VoiceError("not_connected", "The voice server can't be reached.");
    });
    if (!answer.ok) throw await refusal(answer);
    return answer;
  }
}

async function refusal(answer: Response): Promise<VoiceError> {
  try {
    const error = Fields.of(await answer.json(), "answer").object("error");
    return new VoiceError(
      error.string("code"),
      error.string("message"),
      error.maybeString("field"),
    );
  } catch {
    return new VoiceError("http_error", `The voice server answered with ${answer.status}.`);
  }
}

async function decodeSound(file: ArrayBuffer, rate: number): Promise<Float32Array> {
  const decoded = await new OfflineAudioContext(1, 1, rate).decodeAudioData(file);
  return decoded.getChannelData(0);
}

function pcm16(samples: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * samples.length));
  samples.forEach((sample, i) => {
    view.setInt16(2 * i, Math.max(-32768, Math.min(32767, Math.round(32768 * sample))), true);
  });
  return new Uint8Array(view.buffer);
}
