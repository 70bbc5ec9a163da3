import type { Moved } from "voice-server-sdk";
import { make } from "./dom";

interface Lever {
  readonly name: string;
  readonly digits: number;
  readonly unit?: string;
}

const LEVERS: Readonly<Record<string, Lever>> = {
  rate: { name: "pace", digits: 2 },
  vowels: { name: "vowels", digits: 2 },
  pitch: { name: "pitch", digits: 1, unit: "st" },
  range: { name: "range", digits: 2 },
  ending: { name: "ending", digits: 1, unit: "st" },
  slope: { name: "slope", digits: 1, unit: "st" },
  tilt: { name: "brightness", digits: 1, unit: "dB" },
  gain: { name: "loudness", digits: 1, unit: "dB" },
  breath: { name: "breath", digits: 2 },
  soft: { name: "softness", digits: 2 },
  tremor: { name: "trembling", digits: 2, unit: "st" },
  tremor_hz: { name: "trembling", digits: 1, unit: "Hz" },
  emphasis: { name: "stress", digits: 1 },
  pause: { name: "pause", digits: 2, unit: "s" },
};

interface Move {
  readonly lever: string;
  readonly scope: string | undefined;
  readonly words: string[];
  readonly before: number;
  after: number;
}

/** The numbers that a direction moved, one chip each, and what was as asked already. */
export function movedChips(moved: readonly Moved[]): HTMLElement {
  const idle = moved.filter(({ levers }) => Object.keys(levers).length === 0);
  return make(
    "ul",
    "chips",
    ...moves(moved).flatMap((move) => chip(move) ?? []),
    ...idle.map(({ words }) => make("li", "idle", `“${words}”: already so`)),
  );
}

/** Several words may move one lever: it is shown once, from first to last. */
function moves(moved: readonly Moved[]): Move[] {
  const found = new Map<string, Move>();
  for (const { words, levers, scope } of moved) {
    for (const [lever, [before, after]] of Object.entries(levers)) {
      const key = `${lever} ${scope ?? ""}`;
      const move = found.get(key) ?? { lever, scope, words: [], before, after };
      move.words.push(words);
      move.after = after;
      found.set(key, move);
    }
  }
  return [...found.values()];
}

/** Nothing for a move that is too small to be seen in its figures. */
function chip({ lever, scope, words, before, after }: Move): HTMLElement | undefined {
  const told = change(lever, before, after);
  if (told === undefined) return undefined;
  const where = scope === undefined ? [] : [make("q", "", scope), " "];
  const element = make("li", "", ...where, told);
  element.title = `Moved by “${words.join("”, “")}”`;
  return element;
}

function change(lever: string, before: number, after: number): string | undefined {
  if (lever === "whisper") return after ? "whispered" : "no whisper";
  const { name, digits, unit } = LEVERS[lever] ?? { name: lever, digits: 2 };
  const [from, to] = [figure(before, digits), figure(after, digits)];
  const end = unit === undefined ? "" : ` ${unit}`;
  return from === to ? undefined : `${name} ${from} → ${to}${end}`;
}

function figure(value: number, digits: number): string {
  const figure = value.toFixed(digits);
  // Neither a hyphen for a minus, nor a nought below nought.
  return Number(figure) === 0 ? figure.replace("-", "") : figure.replace("-", "−");
}
