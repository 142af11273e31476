import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../../../domain/model/errors.ts';
import { type Platform, toSigningRule } from '../../../domain/model/platform.ts';
import type { PolicyEffect, PolicyEntry } from '../../../domain/model/policy.ts';
import { listPresets } from '../../venues/venue-files.ts';
import {
  listVenuePolicyNames,
  toVenuePolicy,
  type VenuePolicy,
  type VenuePolicyName,
} from '../../venues/venue-policies.ts';
import type { VenuePreset } from '../../venues/venue-schema.ts';

/** A ready-made policy for all accounts of a platform. */
export interface ReadyMadePolicy extends VenuePolicy {
  /** Name of the preset. */
  readonly preset: string;
  readonly policy: VenuePolicyName;
}

/**
 * A preset's ready-made policies for all accounts of a platform.
 * @throws OperatorError if it does not have one of them
 */
export function readyMadePolicies(
  preset: VenuePreset,
  names: readonly VenuePolicyName[],
  platform: Platform,
): readonly PolicyEntry[] {
  const available = listVenuePolicyNames(preset);
  const missing = names.find((name) => !available.includes(name));
  if (missing !== undefined) throw new OperatorError(noPolicy(preset.name, missing, available));
  return makePolicies(preset, [...new Set(names)], platform).map(({ entry }) => entry);
}

/**
 * Every ready-made policy that the venues of this version have for these platforms; of several
 * venues that sign alike, those of each.
 */
export function listReadyMadePolicies(platforms: readonly Platform[]): readonly ReadyMadePolicy[] {
  return platforms.flatMap((platform) =>
    listFittingPresets(platform).flatMap((preset) => makePolicies(preset, listVenuePolicyNames(preset), platform)),
  );
}

function makePolicies(
  preset: VenuePreset,
  names: readonly VenuePolicyName[],
  platform: Platform,
): readonly ReadyMadePolicy[] {
  const foreign = listForeignRules(platform, preset);
  const rules = Object.keys(platform.rules ?? {}).filter((name) => !foreign.includes(name));
  return names.flatMap((policy) => {
    const made = toVenuePolicy(preset, policy, platform.platformId, rules);
    return made === undefined ? [] : [{ preset: preset.name, policy, ...made }];
  });
}

function noPolicy(preset: string, name: VenuePolicyName, available: readonly VenuePolicyName[]): string {
  if (available.length > 0) return `Preset ${preset} has no policy ${name}; available: ${available.join(', ')}.`;
  return `Preset ${preset} has no ready-made policies: the venue's signature does not cover what a request does.`;
}

/** Warnings about named rules that ready-made policies deny because they are not the preset's. */
export function foreignRuleWarnings(platform: Platform, preset: VenuePreset): readonly string[] {
  return listForeignRules(platform, preset).map(
    (name) =>
      `rule ${name} is not of preset ${preset.name}, so its ready-made policies deny every request by it; ` +
      'if the platform needs it, write policies of your own in their place',
  );
}

function listForeignRules({ rules = {} }: Platform, preset: VenuePreset): readonly string[] {
  const ofPreset = preset.platform.rules ?? {};
  return Object.entries(rules).flatMap(([name, rule]) => {
    const own = Object.hasOwn(ofPreset, name) ? ofPreset[name] : undefined;
    return own !== undefined && isDeepStrictEqual(toSigningRule(rule), toSigningRule(own)) ? [] : [name];
  });
}

/** A warning about a new platform without the ready-made policies that its preset has. */
export function unusedPolicyWarnings(platform: Platform, preset: VenuePreset): readonly string[] {
  if (!signsLike(platform, preset) || listVenuePolicyNames(preset).length === 0) return [];
  const { platformId } = platform;
  return [
    'unless another policy covers its accounts, they sign everything, also withdrawals; ' +
      `to allow orders only, run ${formatPolicyCommand(platformId, preset)}`,
  ];
}

/** The command that adds the strictest ready-made policy, and the names of the others. */
export function formatPolicyCommand(platformId: string, preset: VenuePreset): string {
  const [strictest = '', ...others] = listVenuePolicyNames(preset);
  return (
    `signing-service policy add --platform ${platformId} --preset ${preset.name} --policy ${strictest}` +
    ` (others: ${others.join(', ')})`
  );
}

/**
 * The preset with ready-made policies whose signatures a platform makes, preferably of the same
 * name; undefined: none.
 */
export function findPresetWithPolicies(platform: Platform): VenuePreset | undefined {
  const fitting = listFittingPresets(platform);
  return fitting.find(({ name }) => name === platform.platformId) ?? fitting[0];
}

function listFittingPresets(platform: Platform): readonly VenuePreset[] {
  const { encoding, algorithms } = platform;
  return listPresets().filter(
    (preset) =>
      signsLike(platform, preset) &&
      encoding === preset.platform.encoding &&
      algorithms.every((algorithm) => preset.platform.algorithms.includes(algorithm)) &&
      listVenuePolicyNames(preset).length > 0,
  );
}

/** Whether a platform's default rule is the preset's. */
export function signsLike({ payload }: Pick<Platform, 'payload'>, preset: VenuePreset): boolean {
  return isDeepStrictEqual(payload, preset.platform.payload);
}

/** What an added policy does: a sentence. */
export function describeAdded({ name, effect, mode }: PolicyEntry): string {
  if (mode === 'audit') {
    return `Policy ${name} added: in audit mode it denies nothing; audit records name it when it would have denied a request.\n`;
  }
  return `Policy ${name} added: ${POLICY_MEANING[effect]}.\n`;
}

const POLICY_MEANING: { readonly [Effect in PolicyEffect]: string } = {
  allow: 'its accounts sign only what this or another allow policy allows',
  deny: 'its accounts sign nothing that this policy denies',
};
