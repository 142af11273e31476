import { isDeepStrictEqual } from 'node:util';
import { completeRule, completeRules, type Platform } from '../../domain/model/platform.ts';
import type { PolicyEffect, PolicyEntry } from '../../domain/model/policy.ts';
import { listVenuePolicyNames, toPolicyEntry } from '../../domain/presets/policies/venue-policies.ts';
import type { VenuePolicyName } from '../../domain/presets/policies/venue-policy.ts';
import type { VenuePreset } from '../../domain/presets/venue-preset.ts';

/**
 * A preset's ready-made policies for all accounts of a platform, or the reason why there are none.
 * @param rules names of the platform's named rules
 */
export function readyMadePolicies(
  preset: VenuePreset,
  names: readonly VenuePolicyName[],
  platformId: string,
  rules: readonly string[],
): readonly PolicyEntry[] | string {
  const available = listVenuePolicyNames(preset.name);
  const missing = names.find((name) => !available.includes(name));
  if (missing !== undefined) return noPolicy(preset.name, missing, available);
  return [...new Set(names)].flatMap((name) => toPolicyEntry(preset.name, name, platformId, rules) ?? []);
}

function noPolicy(preset: string, name: VenuePolicyName, available: readonly VenuePolicyName[]): string {
  if (available.length > 0) return `preset ${preset} has no policy ${name}; available: ${available.join(', ')}`;
  return `preset ${preset} has no ready-made policies: the venue's signature does not cover what a request does`;
}

/** Whether the platform's rules sign what the preset's rules of the same names do. */
export function signsLike({ payload, rules = {} }: Platform, preset: VenuePreset): boolean {
  if (!isDeepStrictEqual(payload, completeRule(preset.platform.payload))) return false;
  const ofPreset = completeRules(preset.platform.rules ?? {});
  return Object.entries(rules).every(
    ([name, rule]) => !Object.hasOwn(ofPreset, name) || isDeepStrictEqual(rule, ofPreset[name]),
  );
}

/** Added policies, one per line. */
export function formatAddedPolicies(policies: readonly PolicyEntry[]): string {
  return policies
    .map(({ name, effect, mode }) => {
      const meaning =
        mode === 'audit'
          ? 'in audit mode it denies nothing; audit records name it when it would have denied a request'
          : POLICY_MEANING[effect];
      return `Policy ${name} added: ${meaning}.\n`;
    })
    .join('');
}

const POLICY_MEANING: { readonly [Effect in PolicyEffect]: string } = {
  allow: 'its accounts sign only what this or another allow policy allows',
  deny: 'its accounts sign nothing that this policy denies',
};
