import type { Platform } from '../../../domain/model/platform.ts';
import type { CredentialFault, FaultPath } from './credential-fault.ts';
import { pathText } from './credential-fault.ts';
import type { AccountEntry, CredentialsContent } from './credentials-schema.ts';
import { platformOf } from './entry-defaults.ts';

/** What is wrong between entries that are right by themselves: ids that occur twice, accounts that their platform does not allow. */
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

  const accountPaths = new Map<string, FaultPath>();
  for (const [index, entry] of content.accounts.entries()) {
    const root = ['accounts', index];
    // No id contains a slash.
    const name = `${entry.platformId}/${entry.accountId}`;
    const path = [...root, 'accountId'];
    const earlier = accountPaths.get(name);
    if (earlier !== undefined) faults.push(duplicate(path, earlier));
    else accountPaths.set(name, path);
    faults.push(...platformFaults(root, entry, platforms.get(entry.platformId)));
  }
  return faults;
}

function duplicate(path: FaultPath, earlier: FaultPath): CredentialFault {
  return { path, message: `is the same as ${pathText(earlier)}; remove one of the two` };
}

function platformFaults(
  root: FaultPath,
  { algorithm }: AccountEntry,
  platform: Platform | undefined,
): readonly CredentialFault[] {
  if (platform === undefined) {
    return [{ path: [...root, 'platformId'], message: 'is not the platformId of any entry of platforms' }];
  }
  if (platform.algorithms.includes(algorithm)) return [];
  const allowed = platform.algorithms.join(', ');
  return [{ path: [...root, 'algorithm'], message: `must be one of its platform's algorithms (${allowed})` }];
}
