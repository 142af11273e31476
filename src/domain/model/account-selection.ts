import { WILDCARD, WildcardPattern } from './wildcard-pattern.ts';

/** The accounts of one platform that are named by their ids, and the patterns for others of it. */
interface PlatformSelection {
  readonly ids: Set<string>;
  readonly patterns: WildcardPattern[];
}

/** The accounts that patterns of the form `platformId/accountId` name. Those without a star are looked up, however many there are. */
export class AccountSelection {
  readonly #byPlatform = new Map<string, PlatformSelection>();
  readonly #others: { readonly platforms: WildcardPattern; readonly accounts: WildcardPattern }[] = [];
  #hasPatterns = false;

  /** @param patterns each with exactly one slash; no id has one */
  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) this.#add(pattern);
  }

  /** Whether any of the patterns has a star. */
  get hasPatterns(): boolean {
    return this.#hasPatterns;
  }

  /** Whether an account is named, by its ids or by a star. */
  includes(platformId: string, accountId: string): boolean {
    const named = this.#byPlatform.get(platformId);
    if (named !== undefined && isNamed(named, accountId)) return true;
    for (const { platforms, accounts } of this.#others) {
      if (platforms.matches(platformId) && accounts.matches(accountId)) return true;
    }
    return false;
  }

  /** Those that are named by their ids. */
  *named(): Iterable<{ readonly platformId: string; readonly accountId: string }> {
    for (const [platformId, { ids }] of this.#byPlatform) for (const accountId of ids) yield { platformId, accountId };
  }

  #add(pattern: string): void {
    const slash = pattern.indexOf('/');
    const [platform, account] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
    if (pattern.includes(WILDCARD)) this.#hasPatterns = true;
    if (platform.includes(WILDCARD)) {
      this.#others.push({ platforms: new WildcardPattern(platform), accounts: new WildcardPattern(account) });
      return;
    }
    const named = this.#byPlatform.get(platform) ?? { ids: new Set(), patterns: [] };
    this.#byPlatform.set(platform, named);
    if (account.includes(WILDCARD)) named.patterns.push(new WildcardPattern(account));
    else named.ids.add(account);
  }
}

function isNamed({ ids, patterns }: PlatformSelection, accountId: string): boolean {
  if (ids.has(accountId)) return true;
  for (const pattern of patterns) if (pattern.matches(accountId)) return true;
  return false;
}
