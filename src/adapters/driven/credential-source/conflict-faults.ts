import type { PermissionEntry } from '../../../domain/model/permission-entry.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { AccountEntry } from './account-schema.ts';
import { bareHexMessage, isBareEthereumHex } from './bare-hex.ts';
import type { CredentialFault, FaultPath } from './credential-fault.ts';
import { pathText } from './credential-fault.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import { platformOf } from './entry-defaults.ts';
import { missingValues } from './missing-values.ts';
import { unnamedValueFaults } from './unnamed-values.ts';

/** What is wrong between entries that are right by themselves: ids and permissions that occur twice, accounts that their platform does not allow. */
export function conflictFaults(content: CredentialsContent): readonly CredentialFault[] {
  const faults: CredentialFault[] = [];
  const platforms = new Map<string, Platform>();
  const paths = new Map<string, FaultPath>();

  for (const [index, entry] of content.platforms.entries()) {
    const path = ['platforms', index, 'platformId'];
    const earlier = paths.get(entry.platformId);
    if (earlier !== undefined) faults.push(duplicate(path, earlier));
    else paths.set(entry.platformId, path);
    platforms.set(entry.platformId, platformOf(entry));
  }

  const indices = new Map<string, number>();
  for (const [index, entry] of content.accounts.entries()) {
    // No id contains a slash.
    const name = `${entry.platformId}/${entry.accountId}`;
    const earlier = indices.get(name);
    if (earlier !== undefined) faults.push(duplicate(accountIdPath(index), accountIdPath(earlier)));
    else indices.set(name, index);
    const platform = platforms.get(entry.platformId);
    if (platform === undefined) {
      const message = 'is not the platformId of any entry of platforms';
      faults.push({ path: ['accounts', index, 'platformId'], message });
    } else faults.push(...accountFaults(['accounts', index], entry, platform));
  }
  return [...faults, ...permissionFaults(content.permissions ?? [])];
}

/** An entry that stands twice is one that somebody will take out once. */
function permissionFaults(entries: readonly PermissionEntry[]): readonly CredentialFault[] {
  const indices = new Map<string, number>();
  return entries.flatMap(({ principals, accounts = [], operations }, index) => {
    const name = JSON.stringify([principals, accounts, operations].map((list) => list.toSorted()));
    const earlier = indices.get(name);
    if (earlier !== undefined) return [duplicate(['permissions', index], ['permissions', earlier])];
    indices.set(name, index);
    return [];
  });
}

function accountIdPath(index: number): FaultPath {
  return ['accounts', index, 'accountId'];
}

function duplicate(path: FaultPath, earlier: FaultPath): CredentialFault {
  return { path, message: `is the same as ${pathText(earlier)}; remove one of the two` };
}

/**
 * What is wrong with an account on its platform.
 * @param root of the account in the file
 */
export function accountFaults(
  root: FaultPath,
  entry: Pick<AccountEntry, 'algorithm' | 'values'>,
  platform: Platform,
): readonly CredentialFault[] {
  const { platformId, algorithms, payload } = platform;
  const bareHex = isBareEthereumHex(platform, entry.algorithm)
    ? [
        {
          path: [...root, 'algorithm'],
          message: `does not go with its platform's encoding: ${bareHexMessage(platformId, [entry.algorithm])}`,
        },
      ]
    : [];
  const missing = missingValues(payload, entry.values).map((name) => ({
    path: [...root, 'values', name],
    message: `is missing: the payload rule of its platform names {account.${name}}; set it to the text that stands there`,
  }));
  const unnamed = unnamedValueFaults([...root, 'values'], entry.values, payload, 'its platform');
  if (algorithms.includes(entry.algorithm)) return [...bareHex, ...missing, ...unnamed];
  const message = `must be one of its platform's algorithms (${algorithms.join(', ')})`;
  return [{ path: [...root, 'algorithm'], message }, ...missing, ...unnamed];
}
