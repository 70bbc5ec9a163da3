import { make } from "./dom";

/** What an edit did: the words that went, struck out, and those that came. */
export function editedWords(before: string, after: string): HTMLElement {
  const [was, now] = difference(tokens(before), tokens(after));
  const parts: HTMLElement[] = [];
  if (was !== "") parts.push(make("del", "", was));
  if (now !== "") parts.push(make("ins", "", now));
  return make("p", "edited", ...parts.flatMap((part) => [part, " "]));
}

/** Words, and by themselves the marks after them. */
function tokens(text: string): string[] {
  return text.split(/\s+|(?=[,.;:!?]+(?:\s|$))/);
}

/** What lies between the ends that are the same. */
function difference(before: string[], after: string[]): [string, string] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [joined(before, head, tail), joined(after, head, tail)];
}

function joined(tokens: string[], head: number, tail: number): string {
  const text = tokens.slice(head, tokens.length - tail).join(" ");
  return text.replace(/ (?=[,.;:!?]+(?: |$))/g, "").replace(/^[,;:] /, "");
}
