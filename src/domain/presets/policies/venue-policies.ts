import type { PolicyEntry } from '../../model/policy.ts';
import { BACKPACK_POLICIES } from './backpack.ts';
import { BITGET_POLICIES } from './bitget.ts';
import { BITMEX_POLICIES } from './bitmex.ts';
import { BITVAVO_POLICIES } from './bitvavo.ts';
import { COINEX_POLICIES } from './coinex.ts';
import { GATE_POLICIES } from './gate.ts';
import { HTX_POLICIES } from './htx.ts';
import { HYPERLIQUID_POLICIES } from './hyperliquid.ts';
import { KRAKEN_POLICIES } from './kraken.ts';
import { KUCOIN_POLICIES } from './kucoin.ts';
import { OKX_POLICIES } from './okx.ts';
import { PACIFICA_POLICIES } from './pacifica.ts';
import { PHEMEX_POLICIES } from './phemex.ts';
import { VENUE_POLICY_NAMES, type VenuePolicies, type VenuePolicy, type VenuePolicyName } from './venue-policy.ts';
import { WOO_POLICIES } from './woo.ts';

/** By preset. Other venues sign nothing that says what a request does. */
const POLICIES: ReadonlyMap<string, VenuePolicies> = new Map([
  ['backpack', BACKPACK_POLICIES],
  ['bitget', BITGET_POLICIES],
  ['bitget-rsa', BITGET_POLICIES],
  ['bitmex', BITMEX_POLICIES],
  ['bitvavo', BITVAVO_POLICIES],
  ['coinex', COINEX_POLICIES],
  ['gate', GATE_POLICIES],
  ['htx', HTX_POLICIES],
  ['hyperliquid', HYPERLIQUID_POLICIES],
  ['hyperliquid-testnet', HYPERLIQUID_POLICIES],
  ['kraken', KRAKEN_POLICIES],
  ['kucoin', KUCOIN_POLICIES],
  ['okx', OKX_POLICIES],
  ['pacifica', PACIFICA_POLICIES],
  ['phemex', PHEMEX_POLICIES],
  ['woo', WOO_POLICIES],
]);

/** The ready-made policies of a preset; undefined where it has none. */
export function findVenuePolicies(preset: string): VenuePolicies | undefined {
  return POLICIES.get(preset);
}

/** Names of the ready-made policies of a preset. */
export function listVenuePolicyNames(preset: string): readonly VenuePolicyName[] {
  const policies = findVenuePolicies(preset);
  return policies === undefined ? [] : VENUE_POLICY_NAMES.filter((name) => getPolicy(policies, name) !== undefined);
}

/**
 * A ready-made policy for all accounts of a platform; undefined where the preset does not have it.
 * @param rules names of the platform's named rules
 */
export function toPolicyEntry(
  preset: string,
  name: VenuePolicyName,
  platformId: string,
  rules: readonly string[],
): PolicyEntry | undefined {
  const policies = findVenuePolicies(preset);
  const policy = policies && getPolicy(policies, name);
  if (policy === undefined) return undefined;
  return {
    name: toPolicyName(platformId, name),
    accounts: [`${platformId}/*`],
    effect: name === 'no-withdrawals' ? 'deny' : 'allow',
    when: toCondition(policy, rules),
  };
}

function getPolicy(policies: VenuePolicies, name: VenuePolicyName): VenuePolicy | undefined {
  if (name === 'trade-only') return policies.tradeOnly;
  return name === 'read-only' ? policies.readOnly : policies.noWithdrawals;
}

/** Policy names have lowercase letters, digits and `-` only. */
function toPolicyName(platformId: string, name: VenuePolicyName): string {
  const slug = platformId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${slug.slice(0, 48)}-${name}`;
}

function toCondition({ when, rules = {} }: VenuePolicy, ruleNames: readonly string[]): string {
  if (ruleNames.length === 0) return when;
  const others = ruleNames.filter((rule) => Object.hasOwn(rules, rule));
  const terms = others.map((rule) =>
    rules[rule] === 'true' ? `rule == "${rule}"` : `rule == "${rule}" && (${rules[rule]})`,
  );
  return [`rule == "default" && (${when})`, ...terms].join(' || ');
}
