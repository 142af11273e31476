import type { PolicyEffect, PolicyEntry } from '../../domain/model/policy.ts';
import { toCondition } from './request-condition.ts';
import { REQUEST_GROUPS, type RequestGroup, type RuleRequests, type VenuePreset } from './venue-schema.ts';

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

/** Names of the ready-made policies of a preset. */
export function listVenuePolicyNames(preset: VenuePreset): readonly VenuePolicyName[] {
  return VENUE_POLICY_NAMES.filter((name) => listRequests(preset, name, ['default']).length > 0);
}

/** A ready-made policy, and what it allows. */
export interface VenuePolicy {
  readonly entry: PolicyEntry;
  readonly requests: readonly RuleRequests[];
}

/**
 * A ready-made policy for all accounts of a platform; undefined where the preset does not have it.
 *
 * It decides on the default rule and on the given named rules. By any other rule of the platform,
 * also by one that is added later, nothing is allowed, and everything is denied.
 *
 * @param rules names of the platform's named rules that are the preset's
 */
export function toVenuePolicy(
  preset: VenuePreset,
  name: VenuePolicyName,
  platformId: string,
  rules: readonly string[],
): VenuePolicy | undefined {
  const requests = listRequests(preset, name, ['default', ...rules]);
  if (requests.length === 0) return undefined;
  const isListed = requests.map(toTerm).join(' || ');
  const { effect } = POLICIES[name];
  return {
    entry: {
      name: toPolicyName(platformId, name),
      accounts: [`${platformId}/*`],
      effect,
      when: effect === 'allow' ? isListed : `!(${isListed})`,
    },
    requests,
  };
}

/** What the policy leaves allowed by these rules, with the groups that it takes alone. */
function listRequests(
  { policies }: VenuePreset,
  name: VenuePolicyName,
  rules: readonly string[],
): readonly RuleRequests[] {
  return (policies?.requests ?? []).flatMap(({ rules: written, field, parameters, ...groups }) => {
    const names = written.filter((rule) => rules.includes(rule));
    const taken = POLICIES[name].groups.flatMap((group) => {
      const requests = groups[group];
      return requests === undefined ? [] : [[group, requests] as const];
    });
    if (names.length === 0 || taken.length === 0) return [];
    return [{ rules: names, field, parameters, ...Object.fromEntries(taken) }];
  });
}

function toTerm(entry: RuleRequests): string {
  const { rules } = entry;
  const requests = REQUEST_GROUPS.flatMap((group) => entry[group] ?? []);
  const isRule = rules.length === 1 ? `rule == "${rules[0]}"` : `rule in ${JSON.stringify(rules)}`;
  return requests.includes('*') ? isRule : `${isRule} && (${toCondition(requests, entry)})`;
}

/** Policy names have lowercase letters, digits and `-` only. */
function toPolicyName(platformId: string, name: VenuePolicyName): string {
  const slug = platformId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${slug.slice(0, 48)}-${name}`;
}
