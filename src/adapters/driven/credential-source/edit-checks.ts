import type { z } from 'zod';
import type { Algorithm } from '../../../domain/model/algorithm.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { AccountDraft } from '../../../ports/credential-editor.ts';
import { bareHexMessage, isBareEthereumHex } from './bare-hex.ts';
import { pathText } from './credential-fault.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import { platformOf } from './entry-defaults.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import { missingValues } from './missing-values.ts';
import type { PlatformEntry } from './platform-schema.ts';
import { schemaFaults, schemaMessage } from './schema-faults.ts';
import { masterKeyIdOf } from './sealed-key-text.ts';
import { takenValuesText, unnamedValues } from './unnamed-values.ts';

/** @throws EditRefusedError when a platform of that id is there already */
export function assertNewPlatform({ platforms }: CredentialsContent, platformId: string): void {
  if (platforms.every((entry) => entry.platformId !== platformId)) return;
  throw new EditRefusedError(`Platform ${quoted(platformId)} exists already; nothing was changed.`);
}

/** @throws EditRefusedError when the account is there already, or its platform is not there, does not allow its algorithm, needs values that it lacks or takes none of the name of one that it has */
export function assertNewAccount(content: CredentialsContent, draft: AccountDraft): void {
  const { platformId, accountId, algorithm } = draft;
  const index = content.platforms.findIndex((entry) => entry.platformId === platformId);
  const platform = content.platforms[index];
  if (platform === undefined) {
    throw new EditRefusedError(
      `There is no platform ${quoted(platformId)}; add it first with \`signing-service platform add\`.`,
    );
  }
  const { algorithms, payload } = platformOf(platform);
  if (!algorithms.includes(algorithm)) throw algorithmRefusal(platform, index, algorithm);
  if (isBareEthereumHex(platformOf(platform), algorithm)) {
    throw new EditRefusedError(
      `Nothing was changed: ${bareHexMessage(platformId, [algorithm])} in the credentials file.`,
    );
  }
  // First: a misspelt value is also missing under its right name.
  const unnamed = unnamedValues(payload, draft.values);
  if (unnamed.length > 0) throw unnamedRefusal(platformId, unnamed, takenValuesText(payload));
  const missing = missingValues(payload, draft.values);
  if (missing.length > 0) throw missingRefusal(platformId, missing);
  if (accountIndex(content, platformId, accountId) === -1) return;
  throw new EditRefusedError(
    `Account ${quoted(accountId)} exists already on platform ${quoted(platformId)}; nothing was changed.`,
  );
}

/** @throws EditRefusedError when keys in the file are sealed under a master key that is not at hand: it is not the file that these master keys belong to */
export function assertReadableKeys({ accounts }: CredentialsContent, masterKeys: MasterKeyRing): void {
  for (const { key, accountId, platformId } of accounts) {
    const id = 'sealed' in key ? masterKeyIdOf(key.sealed) : undefined;
    if (id === undefined || masterKeys.isReadable(id)) continue;
    throw new EditRefusedError(
      `Account ${quoted(accountId)} on platform ${quoted(platformId)} is sealed under master key ${id}, but ${masterKeys.describe()}. ` +
        'Nothing was changed.',
    );
  }
}

/** @throws EditRefusedError that names each wrong field when `entry` is not what the credentials file may hold */
export function assertEntry(schema: z.ZodType, entry: unknown): void {
  const { success, error } = schema.safeParse(entry, { error: schemaMessage });
  if (success) return;
  const faults = schemaFaults(error.issues).map(({ path, message }) => `${pathText(path)} ${message}`);
  throw new EditRefusedError(`This can't stand in the credentials file: ${faults.join('; ')}. Nothing was changed.`);
}

/** Place of an account in the file, -1 when it has none. */
export function accountIndex({ accounts }: CredentialsContent, platformId: string, accountId: string): number {
  return accounts.findIndex((entry) => entry.platformId === platformId && entry.accountId === accountId);
}

/** An id that an operator typed, for a message: whatever is in it, it stays on one line. */
export function quoted(id: string): string {
  return JSON.stringify(id);
}

function algorithmRefusal(platform: PlatformEntry, index: number, algorithm: Algorithm): EditRefusedError {
  const { platformId, algorithms } = platformOf(platform);
  const place = pathText(['platforms', index, 'algorithms']);
  return new EditRefusedError(
    `Platform ${quoted(platformId)} does not allow ${algorithm}; its algorithms are ${algorithms.join(', ')}. Nothing was changed. ` +
      `Name another platform, or set ${place} in the credentials file to ${JSON.stringify([...algorithms, algorithm])}.`,
  );
}

function missingRefusal(platformId: string, missing: readonly string[]): EditRefusedError {
  const options = missing.map((name) => `--value ${name}=…`).join(' ');
  return new EditRefusedError(
    `The payload rule of platform ${quoted(platformId)} takes ${missing.join(', ')} from each account; give ${options}. Nothing was changed.`,
  );
}

function unnamedRefusal(platformId: string, unnamed: readonly string[], taken: string): EditRefusedError {
  const names = unnamed.map(quoted).join(', ');
  return new EditRefusedError(
    `The payload rule of platform ${quoted(platformId)} takes no value of the name ${names}; ${taken}. Nothing was changed.`,
  );
}
