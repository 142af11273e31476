import type { SecretDecoding } from '../../../domain/model/account.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { type FixedValues, PASSPHRASE_VALUE } from '../../../domain/model/payload-rule.ts';
import type { AccountChange, ConfiguredAccount, KeyReplacement } from '../../../ports/credential-editor.ts';
import { getAccountFacts, getSecretDecoding } from '../entry-defaults.ts';
import type { MasterKeyRing } from '../master-key/master-key-ring.ts';
import { type AccountEntry, accountSchema } from '../schema/account-schema.ts';
import type { CredentialsContent, WrittenCredentials } from '../schema/credentials-schema.ts';
import { assertAccountValues, assertEntry, assertReadableKeys, existingIndex, quoted } from './edit-checks.ts';
import type { EditedCredentials } from './edited-credentials.ts';
import { createKeyProvider, sealNewKey } from './new-key.ts';

type WrittenAccount = WrittenCredentials['accounts'][number];

/** The account as it was read before the lock. */
interface Replaced {
  readonly entry: AccountEntry;
  /** Values after the change. */
  readonly values: FixedValues;
  readonly secretDecoding: SecretDecoding;
}

/**
 * Replaces the key of an account in one change. The key is sealed before locking, since scrypt is
 * slow; assumptions about the file are checked again under the lock.
 * @throws CredentialLoadError, EditRefusedError
 */
export async function replaceKey(credentials: EditedCredentials, replacement: KeyReplacement): Promise<AccountChange> {
  const change = await tryToReplace(credentials, replacement);
  // Retry after a concurrent rotation or a change of this account.
  return change ?? replaceKey(credentials, replacement);
}

async function tryToReplace(
  credentials: EditedCredentials,
  replacement: KeyReplacement,
): Promise<AccountChange | undefined> {
  const before = await credentials.read();
  const { entry, values: given, secretDecoding } = findReplaced(before.content, replacement);
  const { algorithm, lengths, derivePublicKey, signPassphrase, origin, overlapSeconds } = replacement;
  const withKey = createKeyProvider(origin, { algorithm, lengths, secretDecoding });
  if (replacement.dryRun && origin.kind === 'generate') return toChange(entry, { publicKey: null, values: given });

  const masterKeys = await credentials.openMasterKeys();
  try {
    const key = sealNewKey(masterKeys.primary, replacement, origin, withKey, derivePublicKey, signPassphrase);
    const { publicKey, sealed, passphrase } = key;
    if (passphrase === undefined) assertAnotherKey(replacement, entry, publicKey);
    const values = passphrase === undefined ? given : { ...given, [PASSPHRASE_VALUE]: passphrase };
    const change = toChange(entry, { publicKey, values });
    if (replacement.dryRun) return change;
    const isWritten = await credentials.edit(({ content, written }) => {
      const index = existingIndex(content, replacement.platformId, replacement.accountId);
      if (!isUnchanged(credentials, masterKeys, { entry, secretDecoding }, { content, index })) return undefined;
      const changed = withKeyAndValues(written.accounts[index] as WrittenAccount, {
        publicKey,
        sealed,
        values,
        overlapSeconds,
      });
      assertEntry(accountSchema, changed);
      return { ...written, accounts: written.accounts.with(index, changed) };
    });
    return isWritten ? change : undefined;
  } finally {
    masterKeys.close();
  }
}

/** @throws EditRefusedError if the account is missing or may not get these values */
function findReplaced(content: CredentialsContent, replacement: KeyReplacement): Replaced {
  const { platformId, accountId, algorithm } = replacement;
  const entry = content.accounts[existingIndex(content, platformId, accountId)] as AccountEntry;
  if (entry.algorithm !== algorithm) {
    throw new EditRefusedError(
      `The algorithm of account ${quoted(accountId)} on platform ${quoted(platformId)} was changed by another process at the same time; ` +
        'nothing was changed. Run the command again.',
    );
  }
  const values = { ...entry.values, ...replacement.values };
  assertAccountValues(content, platformId, values);
  const platform = content.platforms.find((one) => one.platformId === platformId);
  return { entry, values, secretDecoding: getSecretDecoding(platform) };
}

function assertAnotherKey({ platformId, accountId, values }: KeyReplacement, entry: AccountEntry, key: string): void {
  if (entry.publicKey !== key || Object.keys(values).length > 0) return;
  throw new EditRefusedError(
    `Account ${quoted(accountId)} on platform ${quoted(platformId)} has this key already; nothing was changed.`,
  );
}

/** Whether what was read before the lock still holds. @throws EditRefusedError */
function isUnchanged(
  credentials: EditedCredentials,
  masterKeys: MasterKeyRing,
  { entry, secretDecoding }: Pick<Replaced, 'entry' | 'secretDecoding'>,
  { content, index }: { readonly content: CredentialsContent; readonly index: number },
): boolean {
  if (!credentials.isPrimary(masterKeys)) return false;
  if (JSON.stringify(content.accounts[index]) !== JSON.stringify(entry)) return false;
  const platform = content.platforms.find((one) => one.platformId === entry.platformId);
  if (getSecretDecoding(platform) !== secretDecoding) return false;
  assertReadableKeys(content, masterKeys);
  return true;
}

function withKeyAndValues(
  written: WrittenAccount,
  change: {
    readonly publicKey: string;
    readonly sealed: string;
    readonly values: FixedValues;
    readonly overlapSeconds: number;
  },
): WrittenAccount {
  const { key: _, values: __, overlapSeconds: ___, ...others } = written;
  const { publicKey, sealed, values, overlapSeconds } = change;
  return {
    ...others,
    publicKey,
    ...(Object.keys(values).length === 0 ? {} : { values: { ...values } }),
    ...(overlapSeconds === 0 ? {} : { overlapSeconds }),
    key: { sealed },
  };
}

function toChange(entry: AccountEntry, after: Pick<ConfiguredAccount, 'publicKey'> & { values: FixedValues }) {
  const before = getAccountFacts(entry);
  const { values: _, ...others } = before;
  const { publicKey, values } = after;
  return {
    before,
    account: { ...others, publicKey, ...(Object.keys(values).length === 0 ? {} : { values }) },
  };
}
