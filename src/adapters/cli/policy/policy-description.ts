import type { Platform } from '../../../domain/model/platform.ts';
import type { PolicyEffect, PolicyEntry, PolicyMode } from '../../../domain/model/policy.ts';
import { formatCount } from '../../../domain/model/text/wording.ts';
import { REQUEST_GROUPS, type RuleRequests } from '../../venues/venue-schema.ts';
import { listReadyMadePolicies, type ReadyMadePolicy } from './ready-made-policies.ts';

/** A policy as commands show it. */
export interface PolicyDescription {
  readonly name: string;
  readonly effect: PolicyEffect;
  readonly mode: PolicyMode;
  readonly accounts: readonly string[];
  /** Null: all callers. */
  readonly principals: readonly string[] | null;
  readonly when: string;
  /** Its lists, if its condition is one that this version makes; null: another policy. */
  readonly readyMade: Pick<ReadyMadePolicy, 'preset' | 'policy' | 'requests'> | null;
}

/** Describes policies of these platforms. */
export function describePolicies(platforms: readonly Platform[]): (entry: PolicyEntry) => PolicyDescription {
  const made = listReadyMadePolicies(platforms);
  return ({ name, effect, mode = 'enforce', accounts, principals, when }) => {
    const found = made.find(({ entry }) => entry.when === when && entry.effect === effect);
    const readyMade = found && { preset: found.preset, policy: found.policy, requests: found.requests };
    return { name, effect, mode, accounts, principals: principals ?? null, when, readyMade: readyMade ?? null };
  };
}

/** `okx trade-only: 19 orders, 35 tradingReads, 1 session`. */
export function formatCounts(
  { preset, policy, requests }: Pick<ReadyMadePolicy, 'preset' | 'policy' | 'requests'>,
  effect: PolicyEffect,
): string {
  const counts = REQUEST_GROUPS.flatMap((group) => {
    const listed = requests.flatMap((entry) => entry[group] ?? []);
    return listed.length === 0 ? [] : [formatCount(listed.length, group.replace(/s$/, ''))];
  });
  return `${preset} ${policy}: ${effect === 'allow' ? '' : 'all but '}${counts.join(', ')}`;
}

/** The requests of a ready-made policy, by rule and group, one a line. */
export function formatRequests(requests: readonly RuleRequests[]): string {
  return requests
    .flatMap((entry) => [
      `\nRule ${entry.rules.join(', ')}${entry.field === undefined ? '' : `, by ${entry.field}`}\n`,
      ...REQUEST_GROUPS.flatMap((group) => {
        const listed = entry[group] ?? [];
        if (listed.length === 0) return [];
        return [`  ${group}\n`, ...listed.map((request) => `    ${request === '*' ? 'every request' : request}\n`)];
      }),
    ])
    .join('');
}
