import { dirname } from 'node:path';
import type { CredentialsContent, WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import { type AccountIds, type AccountStatus, toAccountName } from '../../../domain/model/account.ts';
import type { ConfiguredAccount, KeySource } from '../../../domain/model/configured-account.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { FixedValues } from '../../../domain/model/payload.ts';
import { type Platform, toSecretDecoding } from '../../../domain/model/platform.ts';
import type {
  AccountChange,
  AccountEdit,
  AccountPlan,
  AdditionOptions,
  AdditionOutcome,
  CredentialEditor,
  CredentialListing,
  KeyIssue,
  KeyLocation,
  KeyReplacement,
  ListedAccount,
  PlannedAddition,
  StatusChange,
  StatusScope,
  UncomparedAccount,
  WrittenEntries,
} from '../../../ports/credential-editor.ts';
import { type CredentialsSnapshot, readCredentialsFile } from '../credentials-file.ts';
import type { Keyring } from '../keyring/keyring.ts';
import type { MasterKey } from '../keyring/master-key.ts';
import { getSealingKeyId } from '../sealed-key-text.ts';
import { type Edit, editCredentials, tryEdit, type WrittenAccount } from './edited-credentials.ts';
import { findSameKey } from './same-key.ts';

/** Opens the key that seals new keys. */
type OpenMasterKey = () => Promise<MasterKey>;

interface FileCredentialEditorOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Its first key seals new keys. */
  readonly keyring: Keyring;
}

/**
 * Edits the credentials file: each command computes a document from the one that is there, which is
 * validated and written. Other entries keep order and text. What makes and seals keys is loaded by
 * the methods that need it. Rejects with CredentialLoadError or OperatorError.
 */
export class FileCredentialEditor implements CredentialEditor {
  readonly location: string;
  readonly #keyring: Keyring;

  constructor({ file, keyring }: FileCredentialEditorOptions) {
    this.location = file;
    this.#keyring = keyring;
  }

  async list(): Promise<CredentialListing> {
    return toListing((await readCredentialsFile(this.location)).content);
  }

  editEntries(
    change: (written: WrittenEntries, before: CredentialListing) => WrittenEntries,
    check: (after: CredentialListing) => Promise<void> = async () => undefined,
  ): Promise<CredentialListing> {
    return editCredentials(this.location, ({ content, written }) => {
      const entries = change(written as WrittenEntries, toListing(content));
      const { platforms, permissions, policies, budgets } = entries as WrittenCredentials;
      return {
        written: { ...written, platforms, permissions, policies, budgets },
        report: async (after) => {
          const listing = toListing(after);
          await check(listing);
          return listing;
        },
      };
    });
  }

  async addAccounts(
    plan: (listing: CredentialListing) => Promise<readonly PlannedAddition[]>,
    { dryRun, onProgress }: AdditionOptions,
  ): Promise<AdditionOutcome> {
    const { addAccounts } = await import('./add-accounts.ts');
    return this.#editKeys(dryRun, async (reading, openMasterKey) =>
      addAccounts(reading, await plan(toListing(reading.content)), onProgress, openMasterKey),
    );
  }

  editAccount(ids: AccountIds, edit: AccountEdit, check: AccountPlan<void>): Promise<AccountChange> {
    return editCredentials(this.location, ({ content, written }) => {
      const { index, entry, platform } = findAccount(content, ids);
      check(toListed(entry), platform);
      const before = written.accounts[index];
      const labels = {
        alias: edit.alias ?? before?.alias,
        environment: edit.environment ?? before?.environment,
      };
      return {
        written: withFields(written, index, editValues(entry, edit), labels),
        report: ({ accounts }) => ({
          before: toListed(entry),
          account: toListed(accounts[index] as ConfiguredAccount),
        }),
      };
    });
  }

  replaceKey(
    ids: AccountIds,
    plan: AccountPlan<Promise<KeyReplacement>>,
    dryRun: boolean,
  ): Promise<AccountChange | KeyIssue> {
    return this.#editKeys(dryRun, (reading, openMasterKey) => replaceKey(reading, ids, plan, openMasterKey));
  }

  setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusScope = 'account',
  ): Promise<StatusChange> {
    return editCredentials(this.location, ({ content, written }) => {
      const { index } = findAccount(content, { platformId, accountId });
      const { sameKey, uncompared, otherHmac } = findSameKey(content.accounts, index, dirname(this.location));
      const changed = new Set(reach === 'same-key' ? [index, ...sameKey] : [index]);
      const unsure = (places: readonly number[], reason: UncomparedAccount['reason']) =>
        places.map((at) => {
          const { platformId, accountId } = content.accounts[at] as ConfiguredAccount;
          return { platformId, accountId, reason };
        });
      const accounts = written.accounts.map((entry, at) => (changed.has(at) ? { ...entry, status } : entry));
      const report = (after: CredentialsContent) => ({
        sameKey: sameKey.map((at) => {
          const { platformId, accountId, algorithm, status } = after.accounts[at] as ConfiguredAccount;
          return { platformId, accountId, algorithm, status };
        }),
        uncompared: [
          ...unsure(uncompared, 'no-public-key'),
          ...(reach === 'same-key' ? unsure(otherHmac, 'other-hmac') : []),
        ],
      });
      return { written: { ...written, accounts }, report };
    });
  }

  removeAccount(platformId: string, accountId: string): Promise<void> {
    return editCredentials(this.location, ({ content, written }) => {
      const { index, entry } = findAccount(content, { platformId, accountId });
      if (entry.status !== 'active') {
        return { written: { ...written, accounts: written.accounts.toSpliced(index, 1) }, report: () => undefined };
      }
      throw new OperatorError(
        `${describeAccount(entry)} is active; nothing was changed. ` +
          'Disable it first with `signing-service account disable`, and make sure that it is no longer needed: removing it destroys its key.',
      );
    });
  }

  /** Makes a change that seals new keys, or tries it without a master key. */
  #editKeys<Result>(
    dryRun: boolean,
    change: (reading: CredentialsSnapshot, openMasterKey: OpenMasterKey | null) => Promise<Edit<Result>>,
  ): Promise<Result> {
    if (dryRun) return tryEdit(this.location, (reading) => change(reading, null));
    return editCredentials(this.location, async (reading) => {
      let masterKey: MasterKey | undefined;
      const edit = await change(reading, async () => {
        masterKey = await this.#keyring.openFirst(reading.content);
        return masterKey;
      });
      // A retirement for this file may have removed it; it has the same lock.
      return { ...edit, isCurrent: () => masterKey === undefined || this.#keyring.has(masterKey.id) };
    });
  }
}

/** Quotes an operator's id, on one line. */
function quoted(id: string): string {
  return JSON.stringify(id);
}

function describeAccount({ platformId, accountId }: AccountIds): string {
  return `Account ${quoted(accountId)} on platform ${quoted(platformId)}`;
}

function findAccount(
  { accounts, platforms }: CredentialsContent,
  ids: AccountIds,
): { readonly index: number; readonly entry: ConfiguredAccount; readonly platform: Platform | undefined } {
  const index = accounts.findIndex((entry) => toAccountName(entry) === toAccountName(ids));
  const entry = accounts[index];
  const platform = platforms.find(({ platformId }) => platformId === ids.platformId);
  if (entry !== undefined) return { index, entry, platform };
  throw new OperatorError(
    `No such account: ${quoted(ids.accountId)} on platform ${quoted(ids.platformId)}. List the accounts with \`signing-service account list\`.`,
  );
}

/** @throws OperatorError if a value to remove does not exist, or is set as well */
function editValues(entry: ConfiguredAccount, edit: AccountEdit): FixedValues {
  const { values = {} } = entry;
  for (const name of edit.removedValues) {
    if (Object.hasOwn(edit.values, name)) {
      throw new OperatorError(`Value ${quoted(name)} is both set and removed; nothing was changed.`);
    }
    if (!Object.hasOwn(values, name)) {
      throw new OperatorError(`${describeAccount(entry)} has no value ${quoted(name)}; nothing was changed.`);
    }
  }
  const kept = Object.entries({ ...values, ...edit.values }).filter(([name]) => !edit.removedValues.includes(name));
  return Object.fromEntries(kept);
}

/**
 * Changes an account; other fields keep their order and text.
 * @param values all of them
 * @param fields without a value are removed
 */
function withFields(
  written: WrittenCredentials,
  index: number,
  values: FixedValues,
  fields: { readonly [Name in keyof WrittenAccount]?: WrittenAccount[Name] | undefined },
): WrittenCredentials {
  const { key, ...others } = written.accounts[index] as WrittenAccount;
  const given = Object.keys(values).length === 0 ? undefined : values;
  const changed = { ...others, values: given, key, ...fields } as WrittenAccount;
  return { ...written, accounts: written.accounts.with(index, changed) };
}

function toListing(content: CredentialsContent): CredentialListing {
  const { platforms, accounts, permissions = null, policies = [], budgets = [] } = content;
  return { platforms, accounts: accounts.map(toListed), permissions, policies, budgets };
}

/** Without the sealed or plaintext key. */
function toListed({ key, ...account }: ConfiguredAccount): ListedAccount {
  return { ...account, key: toKeyLocation(key) };
}

function toKeyLocation(key: KeySource): KeyLocation {
  if ('sealed' in key) return { kind: 'sealed', masterKeyId: getSealingKeyId(key.sealed) };
  return 'plaintext' in key ? { kind: 'plaintext' } : { kind: 'file', ...key };
}

/**
 * Replaces the key of an account, and sets values.
 * @param openMasterKey opens what seals the key; null: a dry run
 */
async function replaceKey(
  { content, written }: CredentialsSnapshot,
  ids: AccountIds,
  plan: AccountPlan<Promise<KeyReplacement>>,
  openMasterKey: OpenMasterKey | null,
): Promise<Edit<AccountChange | KeyIssue>> {
  const { index, entry, platform } = findAccount(content, ids);
  const replacement = await plan(toListed(entry), platform);
  const masterKey = openMasterKey === null ? null : await openMasterKey();
  const { isIssue, makeNewKeys } = await import('./new-keys.ts');
  const request = { ...replacement, account: entry, secretDecoding: toSecretDecoding(platform) };
  const [made] = await makeNewKeys([request], masterKey);
  if (made === undefined) throw new Error('One key was requested.');
  if (isIssue(made)) return { written: undefined, report: () => made };
  const { publicKey, sealed } = made;
  const added = { ...replacement.values, ...made.values };
  const isSame = publicKey === entry.publicKey && publicKey !== null;
  if (isSame && Object.keys(added).length === 0) {
    throw new OperatorError(`${describeAccount(entry)} has this key already; nothing was changed.`);
  }
  const fields = {
    publicKey: publicKey ?? entry.publicKey ?? undefined,
    overlapSeconds: replacement.overlapSeconds || undefined,
    ...(sealed === null ? {} : { key: { sealed } }),
  };
  return {
    written: withFields(written, index, { ...entry.values, ...added }, fields),
    // A dry run generates no public key.
    report: ({ accounts }) => {
      return { before: toListed(entry), account: { ...toListed(accounts[index] as ConfiguredAccount), publicKey } };
    },
  };
}
