/**
 * Turns offsets in code points, which the wire uses, into offsets in UTF-16 units, which strings
 * of this language use. They differ after an emoji or another character outside the base plane.
 */
export class SpanMap {
  private readonly astral: number[] = [];
  private points = 0;

  /** Adds text at the end; a pair of surrogates must not be split between two calls. */
  append(text: string): void {
    for (const character of text) {
      if (character.length === 2) this.astral.push(this.points);
      this.points += 1;
    }
  }

  /** The UTF-16 offset of a code point offset. */
  offset(point: number): number {
    let low = 0;
    let high = this.astral.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.astral[middle] as number) < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  span([from, to]: readonly [number, number]): [number, number] {
    return [this.offset(from), this.offset(to)];
  }
}
