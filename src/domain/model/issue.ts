/** One thing that is wrong with what a caller or an operator wrote. */
export interface Issue {
  /** Where it is wrong, as a path: `data.instruction.price`, `requests[3].requestId`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong and what would be right. Never the offending value itself. */
  readonly message: string;
}

/** The first issue of each place: one value can be wrong in two ways, and the first says enough. */
export function onePerPath(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ path }, index) => issues.findIndex((other) => other.path === path) === index);
}
