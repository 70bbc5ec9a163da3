import { type Recognised, VoiceError } from "voice-server-sdk";

/** Times and counts as the page says them. */
export function seconds(ms: number): string {
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
}

export function milliseconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** What a server says, begun as a sentence is. */
export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What went wrong. */
export function fault(error: unknown): string {
  return error instanceof VoiceError ? error.message : `Something broke: ${error}`;
}

/** What is said of a take that waits for others to be made. */
export function waiting(seconds: number | undefined): string {
  const left = seconds === undefined ? "" : `, about ${duration(1000 * seconds)}`;
  return `waits until others are spoken${left}`;
}

function duration(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** What was heard of an edit, by whoever listened to it. */
export function checked({ right, words, tries }: Recognised): string {
  const after = tries === 1 ? "" : `, after ${tries} tries`;
  if (right) return `Checked: heard as written${after}`;
  return words === "" ? `Not heard at all${after}` : `Heard “${words}” instead${after}`;
}

export interface Starvation {
  readonly count: number;
  readonly longestMs: number;
}

export function starvation({ count, longestMs }: Starvation): string {
  return count === 0 ? "none" : `${count}, longest ${milliseconds(longestMs)}`;
}

const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language", languageDisplay: "dialect" });

/** The heading under which a voice is listed, such as "American English, women". */
export function voiceGroup(language: string, gender: string): string {
  const people: Readonly<Record<string, string>> = { female: "women", male: "men" };
  return `${languageName(language)}, ${people[gender] ?? gender}`;
}

function languageName(tag: string): string {
  try {
    return LANGUAGES.of(tag) ?? tag;
  } catch {
    // Not a language tag at all: say what the server said.
    return tag;
  }
}
