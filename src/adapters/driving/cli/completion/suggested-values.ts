import type { Argument, Option } from 'commander';

const SUGGESTED = new WeakMap<Option | Argument, readonly string[]>();

/** Names values that shells offer for an option or argument which has too many of them for its help. Returns the option or argument. */
export function suggesting<Part extends Option | Argument>(part: Part, values: readonly string[]): Part {
  SUGGESTED.set(part, values);
  return part;
}

/** The values that were named for it. */
export function suggestedValues(part: Option | Argument): readonly string[] | undefined {
  return SUGGESTED.get(part);
}
