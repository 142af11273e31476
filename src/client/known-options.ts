/** Throws a TypeError for an option that is none: a misspelt one would be lost silently. */
export function refuseUnknown(given: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${where} has no option ${unknown}; it takes ${known.join(', ')}.`);
}

/** A whole number within bounds, or the default where none is given; else a RangeError. */
export function wholeNumber(
  given: number | undefined,
  name: string,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  const value = given ?? fallback;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} has to be a whole number from ${min} to ${max}.`);
}
