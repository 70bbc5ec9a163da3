import type { Fields } from "./fields";
import type { Recognised } from "./messages";

export function readRecognised(r: Fields | undefined): Recognised | undefined {
  return r && { right: r.boolean("right"), words: r.string("words"), tries: r.number("tries") };
}
