/** Ends a switch over a closed union: the compiler sees to it that this is never reached. */
export function assertNever(value: never): never {
  throw new TypeError(`Not expected here: ${JSON.stringify(value)}`);
}
