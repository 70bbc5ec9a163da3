import { ProtocolError } from "./errors";

type Json = Readonly<Record<string, unknown>>;

/** Typed reading of a JSON object; every failure names the field by its whole path. */
export class Fields {
  private constructor(
    readonly raw: Json,
    private readonly path: string,
  ) {}

  static of(value: unknown, path: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new ProtocolError(`${path} should be an object.`, path);
    }
    return new Fields(value as Json, path);
  }

  string(key: string): string {
    return this.maybeString(key) ?? this.missing(key);
  }

  number(key: string): number {
    return this.maybeNumber(key) ?? this.missing(key);
  }

  object(key: string): Fields {
    return this.maybeObject(key) ?? this.missing(key);
  }

  maybeString(key: string): string | undefined {
    const value = this.raw[key] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(key, "a string");
  }

  maybeNumber(key: string): number | undefined {
    const value = this.raw[key] ?? undefined;
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
    throw this.wrong(key, "a number");
  }

  maybeBoolean(key: string): boolean | undefined {
    const value = this.raw[key] ?? undefined;
    if (value === undefined || typeof value === "boolean") return value;
    throw this.wrong(key, "true or false");
  }

  maybeObject(key: string): Fields | undefined {
    const value = this.raw[key] ?? undefined;
    return value === undefined ? undefined : Fields.of(value, this.at(key));
  }

  boolean(key: string): boolean {
    return this.maybeBoolean(key) ?? this.missing(key);
  }

  has(key: string): boolean {
    return (this.raw[key] ?? undefined) !== undefined;
  }

  list(key: string): Fields[] {
    return this.array(key).map((item, i) => Fields.of(item, `${this.at(key)}[${i}]`));
  }

  strings(key: string): string[] {
    return this.array(key).filter((item) => typeof item === "string");
  }

  numbers(key: string): number[] {
    return this.array(key).map((item) => {
      if (typeof item === "number") return item;
      throw this.wrong(key, "a list of numbers");
    });
  }

  /** An object of anything, each of whose values `read` reads. */
  record<T>(key: string, read: (fields: Fields, key: string) => T): Record<string, T> {
    const fields = this.object(key);
    return Object.fromEntries(Object.keys(fields.raw).map((name) => [name, read(fields, name)]));
  }

  /** Two numbers; a switch counts as 0 or 1. */
  pair(key: string): [number, number] {
    const [one, other] = this.array(key).map((v) => (typeof v === "boolean" ? Number(v) : v));
    if (typeof one === "number" && typeof other === "number") return [one, other];
    throw this.wrong(key, "a pair of numbers");
  }

  /** A list of pairs of strings. */
  textPairs(key: string): [string, string][] {
    return this.array(key).map((pair) => {
      const [one, other] = Array.isArray(pair) ? pair : [];
      if (typeof one === "string" && typeof other === "string") return [one, other];
      throw this.wrong(key, "a list of pairs of strings");
    });
  }

  span(key: string): [number, number] {
    const [from, to] = this.array(key);
    if (typeof from === "number" && typeof to === "number" && from <= to) return [from, to];
    throw this.wrong(key, "a pair [from, to)");
  }

  private array(key: string): readonly unknown[] {
    const value = this.raw[key];
    if (Array.isArray(value)) return value;
    throw this.wrong(key, "a list");
  }

  private at(key: string): string {
    return this.path === "message" ? key : `${this.path}.${key}`;
  }

  private wrong(key: string, wanted: string): ProtocolError {
    return new ProtocolError(`${this.at(key)} should be ${wanted}.`, this.at(key));
  }

  private missing(key: string): never {
    throw new ProtocolError(`${this.at(key)} is missing.`, this.at(key));
  }
}
