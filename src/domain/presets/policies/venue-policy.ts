/** Ready-made policies, for accounts of a venue. */
export const VENUE_POLICY_NAMES = ['trade-only', 'no-withdrawals', 'read-only'] as const;

/** See {@link VENUE_POLICY_NAMES}. */
export type VenuePolicyName = (typeof VENUE_POLICY_NAMES)[number];

/**
 * A condition in CEL for the preset's default rule and for each of its named rules; a rule without
 * one does not match.
 */
export interface VenuePolicy {
  readonly when: string;
  readonly rules?: { readonly [rule: string]: string };
}

/** The ready-made policies of a venue whose signature says what a request does. */
export interface VenuePolicies {
  /** Where the venue documents the requests. */
  readonly docs: readonly string[];
  /** `allow`: orders, amendments, cancels, and the reads that trading needs. */
  readonly tradeOnly: VenuePolicy;
  /** `deny`: money out or to others, sub-accounts, API keys, agents. */
  readonly noWithdrawals: VenuePolicy;
  /** `allow`: what changes nothing; absent where the venue signs no such request. */
  readonly readOnly?: VenuePolicy;
}

/** Requests by method and path. */
export interface PathSelection {
  /** Absent: any. */
  readonly methods?: readonly string[];
  /** Whole paths. */
  readonly paths?: readonly string[];
  /** Paths with everything below them, without a slash at the end. */
  readonly prefixes?: readonly string[];
}

/** A condition for an `allow`: one of these requests, spelt as the venue spells it. */
export function requestIn(...selections: readonly PathSelection[]): string {
  return anyOf(
    selections.map(({ methods, paths = [], prefixes = [] }) => {
      const exact = [...paths, ...prefixes];
      const below = prefixes.map((prefix) => `signed.path.startsWith(${quote(`${prefix}/`)})`);
      return allOf([
        methodIn(methods),
        anyOf([...(exact.length === 0 ? [] : [oneOf('signed.path', exact)]), ...below]),
      ]);
    }),
  );
}

/** A condition for a `deny`: one of these paths or one below it, in any letter case. */
export function requestBelow(methods: 'writes' | 'any', paths: readonly string[]): string {
  const list = paths.map((path) => quote(`${path.toLowerCase()}/`)).join(', ');
  const below = `[${list}].exists(path, (signed.path.lowerAscii() + "/").startsWith(path))`;
  return methods === 'any' ? below : allOf(['signed.method != "GET"', below]);
}

/**
 * A condition where path and query are signed as one text (Phemex): it begins with one of these
 * paths, in any letter case. Other paths that begin like them match, too.
 */
export function targetBelow(paths: readonly string[]): string {
  const list = paths.map((path) => quote(path.toLowerCase())).join(', ');
  return `[${list}].exists(path, signed.target.lowerAscii().startsWith(path))`;
}

/** A condition on a name: an instruction, an action's type. */
export function oneOf(field: string, names: readonly string[]): string {
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return `${field} == ${quote(only)}`;
  return `${field} in [${names.map(quote).join(', ')}]`;
}

/** Terms joined by `||`, in brackets if there are several. */
export function anyOf(terms: readonly string[]): string {
  return terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' || ')})`;
}

function allOf(terms: readonly (string | undefined)[]): string {
  return terms.filter((term) => term !== undefined).join(' && ');
}

function methodIn(methods: readonly string[] | undefined): string | undefined {
  return methods && oneOf('signed.method', methods);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
