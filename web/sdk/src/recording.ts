import { deferred } from "./deferred";
import { Log } from "./log";
import type { AudioInfo } from "./messages";

export interface Packet {
  readonly payload: Uint8Array;
  readonly last: boolean;
}

/**
 * The packets of one take as they came: small (about 4 kB a second as Opus), so that it can be
 * kept and played again. `end` says how many samples the take has, at `audio.sample_rate`, or
 * undefined when it was cut short.
 */
export class Recording {
  readonly packets = new Log<Packet>();
  private readonly ending = deferred<number | undefined>();

  constructor(readonly audio: AudioInfo) {}

  get end(): Promise<number | undefined> {
    return this.ending.promise;
  }

  add(packet: Packet): void {
    this.packets.push(packet);
  }

  finish(samples: number): void {
    this.ending.resolve(samples);
    this.packets.close();
  }

  abandon(): void {
    this.ending.resolve(undefined);
    this.packets.close();
  }
}
