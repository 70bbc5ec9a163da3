import { VoiceError } from "../errors";
import type { SessionOpened } from "../messages";
import { Player, type PlayerOptions } from "./player";

/** As for a player; `leadMs` is also what the server is asked to keep to. */
export type SoundOptions = PlayerOptions;

/** The one player of a session, opened when it is first needed. */
export class SoundOutput {
  private player: Promise<Player> | undefined;

  constructor(
    private readonly opened: () => SessionOpened | undefined,
    private readonly options: SoundOptions,
  ) {}

  /**
   * The player, ready. Call it from a click or a key press: browsers hold sound back before one.
   *
   * @throws VoiceError where the browser gives no sound to this page, or no session is open yet.
   */
  open(): Promise<Player> {
    this.player ??= this.make();
    void this.whenThere((player) => player.resume());
    return this.player;
  }

  stopAll(): void {
    void this.whenThere((player) => player.stopAll());
  }

  close(): void {
    void this.whenThere((player) => player.close());
    this.player = undefined;
  }

  private async make(): Promise<Player> {
    const opened = this.opened();
    if (opened === undefined) throw new VoiceError("not_connected", "There is no session yet.");
    try {
      return await Player.open(opened.audio, {
        ...this.options,
        leadMs: leadOf(opened, this.options),
      });
    } catch (error) {
      this.player = undefined;
      throw soundError(error);
    }
  }

  private async whenThere(act: (player: Player) => unknown): Promise<void> {
    try {
      if (this.player !== undefined) act(await this.player);
    } catch {
      // Whoever opened it was told that it is not there.
    }
  }
}

/** The lead in force: what was asked for, else what the server says it keeps. */
function leadOf({ limits }: SessionOpened, { leadMs }: SoundOptions): number {
  const { lead_ms } = limits;
  return leadMs ?? (typeof lead_ms === "number" ? lead_ms : 500);
}

function soundError(error: unknown): VoiceError {
  if (error instanceof VoiceError) return error;
  return new VoiceError("no_sound_output", `This browser's sound output did not open: ${error}`);
}
