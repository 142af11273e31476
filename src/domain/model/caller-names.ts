import { ANONYMOUS } from './authentication.ts';
import { memoizeRecent } from './memoize.ts';
import { WILDCARD, WildcardPattern } from './text/wildcard-pattern.ts';

/** Names all callers that no principal matches; no principal has parentheses. */
const OTHER_CALLERS = '(other)';

/**
 * Names callers for monitoring by the principals of a permissions list: callers cannot add names.
 */
export class CallerNames {
  /** All names that {@link nameOf} returns. */
  readonly all: ReadonlySet<string>;
  /**
   * The principal itself if it is listed, else the longest listed pattern that matches, without its
   * `*`, else {@link OTHER_CALLERS}; `anonymous` for null, an unauthenticated caller.
   */
  readonly nameOf: (principal: string | null) => string;

  /** @param principals as in permissions, also repeated */
  constructor(principals: Iterable<string>) {
    const listed = new Set(principals);
    this.all = new Set([...listed, OTHER_CALLERS, ANONYMOUS]);
    const patterns = [...listed]
      .filter((principal) => principal.includes(WILDCARD))
      .toSorted((left, right) => countFixed(right) - countFixed(left))
      .map((name) => ({ name, pattern: new WildcardPattern(name) }));
    this.nameOf = memoizeRecent((principal: string | null) => {
      if (principal === null) return ANONYMOUS;
      if (listed.has(principal)) return principal;
      return patterns.find(({ pattern }) => pattern.matches(principal))?.name ?? OTHER_CALLERS;
    });
  }
}

function countFixed(pattern: string): number {
  return pattern.replaceAll(WILDCARD, '').length;
}
