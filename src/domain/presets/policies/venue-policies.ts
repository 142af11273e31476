import type { PolicyEffect, PolicyEntry } from '../../model/policy.ts';
import backpack from './backpack.json' with { type: 'json' };
import bitget from './bitget.json' with { type: 'json' };
import bitmex from './bitmex.json' with { type: 'json' };
import bitvavo from './bitvavo.json' with { type: 'json' };
import coinex from './coinex.json' with { type: 'json' };
import gate from './gate.json' with { type: 'json' };
import htx from './htx.json' with { type: 'json' };
import hyperliquid from './hyperliquid.json' with { type: 'json' };
import kraken from './kraken.json' with { type: 'json' };
import kucoin from './kucoin.json' with { type: 'json' };
import okx from './okx.json' with { type: 'json' };
import pacifica from './pacifica.json' with { type: 'json' };
import phemex from './phemex.json' with { type: 'json' };
import { type RequestForm, toCondition } from './request-condition.ts';
import woo from './woo.json' with { type: 'json' };

/**
 * Groups of requests, the most frequent first. None moves assets out of the account or to another
 * one, or grants access to it.
 *
 * - `orders`: orders, amendments, cancels
 * - `tradingReads`, `reads`: change nothing; the first are those that trading needs
 * - `sessions`: logins and tokens of sessions that can withdraw nothing
 * - `settings`: leverage, position and margin modes
 * - `positions`: margin of positions
 * - `borrow`: borrow and repay
 * - `convert`: exchange of own assets outside the order book
 * - `earn`: subscribe and redeem products for own assets
 */
export const REQUEST_GROUPS = [
  'orders',
  'tradingReads',
  'sessions',
  'reads',
  'settings',
  'positions',
  'borrow',
  'convert',
  'earn',
] as const;

/** See {@link REQUEST_GROUPS}. */
export type RequestGroup = (typeof REQUEST_GROUPS)[number];

/** What a venue's accounts may sign by some of the preset's rules. */
type RuleRequests = RequestForm & {
  /** Names of rules: `default`, or a named rule. */
  readonly rules: readonly string[];
} & {
  /** As `toCondition` has them, or `*` alone for everything that these rules can sign. */
  readonly [Group in RequestGroup]?: readonly string[];
};

/** The requests of a venue whose signature says what a request does. */
export interface VenueRequests {
  /** Names of the presets that sign so. */
  readonly presets: readonly string[];
  /** Where the venue documents its requests. */
  readonly docs: readonly string[];
  /** A request that is in no list is unknown, also one that the venue adds. */
  readonly requests: readonly RuleRequests[];
}

const VENUES: readonly VenueRequests[] = [
  backpack,
  bitget,
  bitmex,
  bitvavo,
  coinex,
  gate,
  htx,
  hyperliquid,
  kraken,
  kucoin,
  okx,
  pacifica,
  phemex,
  woo,
];

/** Ready-made policies, for accounts of a venue. */
export const VENUE_POLICY_NAMES = ['trade-only', 'no-withdrawals', 'read-only'] as const;

/** See {@link VENUE_POLICY_NAMES}. */
export type VenuePolicyName = (typeof VENUE_POLICY_NAMES)[number];

/** `allow` policies allow these groups; a `deny` policy denies everything else. */
const POLICIES: {
  readonly [Name in VenuePolicyName]: { readonly effect: PolicyEffect; readonly groups: readonly RequestGroup[] };
} = {
  'trade-only': { effect: 'allow', groups: ['orders', 'tradingReads', 'sessions'] },
  'no-withdrawals': { effect: 'deny', groups: REQUEST_GROUPS },
  'read-only': { effect: 'allow', groups: ['tradingReads', 'reads'] },
};

/** The requests of a preset's venue; undefined where a signature does not say what it does. */
export function findVenueRequests(preset: string): VenueRequests | undefined {
  return VENUES.find(({ presets }) => presets.includes(preset));
}

/** Names of the ready-made policies of a preset. */
export function listVenuePolicyNames(preset: string): readonly VenuePolicyName[] {
  return VENUE_POLICY_NAMES.filter((name) => toPolicyEntry(preset, name, 'venue', []) !== undefined);
}

/**
 * A ready-made policy for all accounts of a platform; undefined where the preset does not have it.
 *
 * It decides on the default rule and on the given named rules. By any other rule of the platform,
 * also by one that is added later, nothing is allowed, and everything is denied.
 *
 * @param rules names of the platform's named rules that are the preset's
 */
export function toPolicyEntry(
  preset: string,
  name: VenuePolicyName,
  platformId: string,
  rules: readonly string[],
): PolicyEntry | undefined {
  const venue = findVenueRequests(preset);
  const { effect, groups } = POLICIES[name];
  const known = ['default', ...rules];
  const terms = (venue?.requests ?? []).flatMap((entry) => {
    const names = entry.rules.filter((rule) => known.includes(rule));
    const requests = groups.flatMap((group) => entry[group] ?? []);
    if (names.length === 0 || requests.length === 0) return [];
    const isRule = names.length === 1 ? `rule == "${names[0]}"` : `rule in ${JSON.stringify(names)}`;
    return [requests.includes('*') ? isRule : `${isRule} && (${toCondition(requests, entry)})`];
  });
  if (terms.length === 0) return undefined;
  const isListed = terms.join(' || ');
  return {
    name: toPolicyName(platformId, name),
    accounts: [`${platformId}/*`],
    effect,
    when: effect === 'allow' ? isListed : `!(${isListed})`,
  };
}

/** Policy names have lowercase letters, digits and `-` only. */
function toPolicyName(platformId: string, name: VenuePolicyName): string {
  const slug = platformId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${slug.slice(0, 48)}-${name}`;
}
