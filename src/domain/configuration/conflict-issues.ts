import { toAccountName } from '../model/account.ts';
import { UNKNOWN_PLATFORM } from '../model/account-issues.ts';
import type { ConfiguredAccount } from '../model/configured-account.ts';
import type { PermissionEntry } from '../model/permissions.ts';
import { listRules, type Platform } from '../model/platform.ts';
import { getRuleModule, requiredValues } from '../payload/payload-rules.ts';
import { type CredentialIssue, type IssuePath, renderPath } from './credential-issue.ts';
import type { CredentialsHead } from './credentials-schema.ts';
import {
  bareHexMessage,
  isBareEthereumHex,
  listPlatformValues,
  missingValues,
  unusedValueIssues,
} from './platform-issues.ts';

/**
 * Finds conflicts between valid entries: duplicate ids, permissions, and names of policies and
 * budgets, accounts that their platform does not allow.
 * @param accounts by their index in the file
 */
export function conflictIssues(
  content: CredentialsHead,
  accounts: ReadonlyMap<number, ConfiguredAccount>,
): readonly CredentialIssue[] {
  const { platforms, permissions = [], policies = [], budgets = [] } = content;
  const byId = new Map(platforms.map((platform) => [platform.platformId, platform]));
  return [
    ...duplicates(
      platforms.map(({ platformId }, index) => ({ name: platformId, path: ['platforms', index, 'platformId'] })),
    ),
    ...duplicates(
      [...accounts].map(([index, account]) => ({
        name: toAccountName(account),
        path: ['accounts', index, 'accountId'],
      })),
      'is a duplicate of an earlier accountId of the platform; remove one of each',
    ),
    ...[...accounts].flatMap(([index, account]) => {
      const platform = byId.get(account.platformId);
      if (platform !== undefined) return accountIssues(['accounts', index], account, platform);
      return [{ path: ['accounts', index, 'platformId'], message: UNKNOWN_PLATFORM }];
    }),
    // Removing only one of two equal entries would revoke nothing.
    ...duplicates(
      permissions.map((entry, index) => ({ name: describePermission(entry), path: ['permissions', index] })),
    ),
    // Refusals and records give nothing but the name.
    ...duplicates([
      ...policies.map(({ name }, index) => ({ name, path: ['policies', index, 'name'] })),
      ...budgets.map(({ name }, index) => ({ name, path: ['budgets', index, 'name'] })),
    ]),
  ];
}

/**
 * Issues of entries with the name of an earlier one.
 * @param shared message for several accounts at once
 */
function duplicates(
  entries: readonly { readonly name: string; readonly path: IssuePath }[],
  shared?: string,
): readonly CredentialIssue[] {
  const paths = new Map<string, IssuePath>();
  return entries.flatMap(({ name, path }) => {
    const earlier = paths.get(name);
    if (earlier === undefined) {
      paths.set(name, path);
      return [];
    }
    const message = `is a duplicate of ${renderPath(earlier)}; remove one of them`;
    return [{ path, message, ...(shared === undefined ? {} : { shared }) }];
  });
}

/** The same text for the same permission. */
function describePermission({ principals, accounts = [], operations }: PermissionEntry): string {
  return JSON.stringify([principals, accounts, operations].map((list) => list.toSorted()));
}

/**
 * Finds conflicts of an account with its platform.
 * @param root path of the account in the file
 */
function accountIssues(
  root: IssuePath,
  entry: Pick<ConfiguredAccount, 'algorithm' | 'values'>,
  platform: Platform,
): readonly CredentialIssue[] {
  const { platformId, algorithms } = platform;
  const rules = listRules(platform);
  const bareHex = isBareEthereumHex(platform, entry.algorithm)
    ? [
        {
          path: [...root, 'algorithm'],
          message: `does not match the encoding of its platform: ${bareHexMessage(platformId, [entry.algorithm])}`,
        },
      ]
    : [];
  const missing = missingValues(rules, entry.values).map((name) => ({
    path: [...root, 'values', name],
    message: `is missing: ${describeRule(platform, name)} of its platform uses {account.${name}}; set it`,
  }));
  const invalid = rules
    .map((rule) => getRuleModule(rule).findValueIssue?.(entry.values ?? {}))
    .find((issue) => issue !== undefined);
  const unnamed = [
    ...unusedValueIssues([...root, 'values'], entry.values, () => listPlatformValues(platform), 'its platform'),
    ...(invalid === undefined ? [] : [{ ...invalid, path: [...root, 'values', ...invalid.path] }]),
  ];
  if (algorithms.includes(entry.algorithm)) return [...bareHex, ...missing, ...unnamed];
  const message = `must be one of its platform's algorithms (${algorithms.join(', ')})`;
  return [{ path: [...root, 'algorithm'], message }, ...missing, ...unnamed];
}

/** A rule whose template takes this value. */
function describeRule({ payload, rules = {} }: Platform, value: string): string {
  if (requiredValues(payload).includes(value)) return 'the payload rule';
  const named = Object.entries(rules).find(([, rule]) => requiredValues(rule).includes(value));
  return `rule ${named?.[0]}`;
}
