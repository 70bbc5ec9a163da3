import type { VoiceInfo } from "voice-server-sdk";
import { make } from "./dom";
import { recall, remember } from "./memory";
import { voiceGroup } from "./words-for";

/** The choice of a voice, grouped by language and gender; the last choice is remembered. */
export class VoicePicker {
  private readonly names = new Map<string, string>();

  constructor(private readonly select: HTMLSelectElement) {
    select.onchange = () => remember("voice", select.value);
  }

  get value(): string {
    return this.select.value;
  }

  offer(voices: readonly VoiceInfo[]): void {
    const wanted = this.names.size > 0 ? this.value : recall("voice");
    this.names.clear();
    for (const { id, name } of voices) this.names.set(id, name);
    this.select.replaceChildren(...this.groups(voices));
    if (this.names.has(wanted)) this.select.value = wanted;
    this.select.disabled = voices.length === 0;
  }

  nameOf(id: string): string {
    return this.names.get(id) ?? id;
  }

  private groups(voices: readonly VoiceInfo[]): HTMLOptGroupElement[] {
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const voice of voices) {
      const label = voiceGroup(voice.language, voice.gender);
      const group = groups.get(label) ?? make("optgroup", "");
      group.label = label;
      group.append(new Option(voice.name, voice.id));
      groups.set(label, group);
    }
    return [...groups.values()];
  }
}
