import type { VoiceError } from "./errors";
import type { SessionOpened } from "./messages";
import type { Playback } from "./playout/playback";
import type { PlayMode } from "./playout/playout";
import { type SoundOptions, SoundOutput } from "./playout/sound-output";
import type { Recording } from "./recording";
import { type PlaybackReport, PlaybackReporter } from "./reporter";
import type { Take } from "./take";

/** What a listening tells. */
export interface ListeningEvents {
  report(report: PlaybackReport): void;
  failed(error: VoiceError): void;
}

/** The listener's end of a session: takes go to the player, and reports of it to the server. */
export class Listening {
  private readonly output: SoundOutput;
  private readonly reporter: PlaybackReporter;

  constructor(
    opened: () => SessionOpened | undefined,
    options: SoundOptions,
    private readonly events: ListeningEvents,
  ) {
    this.output = new SoundOutput(opened, options);
    this.reporter = new PlaybackReporter((report) => events.report(report));
  }

  /** Plays a take while it is made, after `pauseMs` of silence; a failure reaches `failed`. */
  async play(take: Take, mode: PlayMode | "none", pauseMs: number): Promise<void> {
    if (mode === "none") return take.unplayed();
    try {
      const player = await this.output.open();
      if (take.state === "failed") return take.unplayed();
      const playback = player.play(take.recording, mode, pauseMs);
      take.attach(playback);
      this.reporter.follow(take, playback);
    } catch (error) {
      take.unplayed();
      this.events.failed(error as VoiceError);
    }
  }

  async replay(recording: Recording): Promise<Playback> {
    return (await this.output.open()).play(recording);
  }

  async open(): Promise<void> {
    await this.output.open();
  }

  stopAll(): void {
    this.output.stopAll();
  }

  close(): void {
    this.reporter.close();
    this.output.close();
  }
}
