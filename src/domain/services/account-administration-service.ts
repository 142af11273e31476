import type {
  CredentialListing,
  EditOptions,
  EditTools,
  FieldIssue,
  KeyMaking,
  KeyOrigin,
  KeyRequest,
  ListedAccount,
  NewKey,
  WrittenAccount,
} from '../../ports/credential-editor.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LoadSigner } from '../../ports/signer.ts';
import { type AccountIds, type AccountStatus, toAccountName, type WithAddress } from '../model/account.ts';
import { UNKNOWN_PLATFORM } from '../model/account-issues.ts';
import { type Algorithm, isMacAlgorithm } from '../model/algorithm.ts';
import { OperatorError } from '../model/errors.ts';
import type { FixedValues } from '../model/payload.ts';
import { type Platform, toSecretDecoding } from '../model/platform.ts';
import { formatTime } from '../model/text/iso-time.ts';
import { admitKey, toKeyId } from './key-admission.ts';
import {
  findMissingPassphrase,
  findPassphraseEditIssue,
  findPassphraseIssue,
  findStalePassphrase,
  toPassphraseSigner,
} from './key-passphrase.ts';
import { compareKeys, type KeyComparison } from './same-key.ts';

/** A new account. */
export interface AccountSpec extends AccountIds, KeyOrigin {
  /** Default: the only algorithm of the platform. */
  readonly algorithm?: Algorithm | undefined;
  /** Default: the accountId. */
  readonly alias?: string | undefined;
  /** Default: `production`. */
  readonly environment?: string | undefined;
  /** Values of {account.NAME}. */
  readonly values?: FixedValues | undefined;
  /** Default: `active`. */
  readonly status?: AccountStatus | undefined;
}

/** Options of {@link AccountAdministrationService.addAccounts}. */
export interface AdditionOptions extends Pick<KeyMaking, 'onProgress'> {
  /** Checks everything, key files included, without a change. */
  readonly dryRun?: boolean | undefined;
  /** Leaves existing accounts as they are, instead of refusing them. */
  readonly skipExisting?: boolean | undefined;
}

/** Changes of an account's own fields; absent fields and values stay. */
export interface AccountEdit {
  readonly alias?: string | undefined;
  readonly environment?: string | undefined;
  readonly values?: FixedValues | undefined;
  /** Names of values to remove; each must exist. */
  readonly removeValue?: readonly string[] | undefined;
}

/** A new key for an account. */
export interface KeyReplacement extends AccountIds, KeyOrigin {
  /** Values of {account.NAME} to set; others stay. */
  readonly values?: FixedValues | undefined;
  /** How long a service keeps the previous key, seconds, 0 to `MAX_OVERLAP_SECONDS`. */
  readonly overlap: number;
  /** Checks everything, key files included, without a change. */
  readonly dryRun?: boolean | undefined;
}

/** An account with its address and the short name of its key. */
export type Identified<Listed> = WithAddress<Listed> & {
  /** See `Account.keyId`; null without a public key. */
  readonly keyId: string | null;
};

/** An account that was added. */
export interface Addition {
  readonly spec: AccountSpec;
  /** In a dry run, a key that would be generated has no public key. */
  readonly account: Identified<Omit<ListedAccount, 'key'>>;
}

/** An account before and after a change. */
export interface AccountChange {
  readonly before: Identified<ListedAccount>;
  readonly account: Identified<ListedAccount>;
}

/** An account of the configuration, as commands show it. */
export type ShownAccount = Identified<ListedAccount> & {
  /** Only if the platform is disabled: the account cannot sign even if its status is active. */
  readonly platformStatus?: 'disabled';
};

/** The configuration, with what the service adds to accounts. */
export interface AccountListing extends CredentialListing {
  readonly accounts: readonly ShownAccount[];
}

/** An issue of an account, as it was given. */
export interface AccountIssue extends FieldIssue {
  readonly account: AccountIds;
}

/** Accounts that cannot be written. The message is for commands with one: it names options. */
export class AccountIssuesError extends OperatorError {
  readonly issues: readonly AccountIssue[];

  constructor(issues: readonly AccountIssue[]) {
    const texts = issues.map(({ field, message }) => `${toOption(field)} ${message}`);
    const [account = ''] = issues.map((issue) => describeAccount(issue.account));
    super(`${account}: ${texts.join('; ')}. Nothing was changed.`);
    this.issues = issues;
  }
}

type Parts = Pick<Ports, 'editor' | 'keyStore' | 'clock'> & {
  readonly loadSigner: LoadSigner;
  readonly hasher: Pick<Hasher, 'sha256'>;
};

/**
 * Changes accounts from the command line. A running service picks changes up automatically or on a
 * reload. Methods reject with OperatorError for what cannot be done, or CredentialLoadError for an
 * invalid configuration; nothing is changed then.
 */
export class AccountAdministrationService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#parts.editor.location;
  }

  async list(): Promise<AccountListing> {
    const listing = await this.#parts.editor.list();
    const disabled = new Set(
      listing.platforms.filter(({ status }) => status === 'disabled').map(({ platformId }) => platformId),
    );
    const accounts: ShownAccount[] = [];
    for (const account of listing.accounts) {
      const identified = await this.#identify(account);
      accounts.push(disabled.has(account.platformId) ? { ...identified, platformStatus: 'disabled' } : identified);
    }
    return { ...listing, accounts };
  }

  /**
   * Adds accounts in one change, all or none, with new or imported keys, which are tested before
   * they are sealed. Reports every issue of every account.
   * @throws AccountIssuesError
   */
  async addAccounts(
    specs: readonly AccountSpec[],
    { dryRun, skipExisting, onProgress }: AdditionOptions = {},
  ): Promise<readonly Addition[]> {
    const { before, after } = await this.#parts.editor.edit(
      async (written, before, { findIssues, makeKeys }) => {
        const existing = new Set(before.accounts.map(toAccountName));
        const platforms = new Map(before.platforms.map((platform) => [platform.platformId, platform]));
        const planned: Planned[] = [];
        const issues: AccountIssue[] = [];
        for (const spec of specs) {
          const isExisting = existing.has(toAccountName(spec));
          if (isExisting && skipExisting) continue;
          const platform = platforms.get(spec.platformId);
          const algorithm = isExisting ? EXISTS : findAlgorithm(spec, platform);
          if (typeof algorithm === 'object') {
            issues.push({ account: spec, ...algorithm });
            continue;
          }
          issues.push(
            ...findOriginIssues(spec, spec, algorithm, platform, findMissingPassphrase(spec, algorithm, platform)),
          );
          planned.push({
            spec,
            draft: this.#toDraft(spec, algorithm),
            request: await this.#toRequest(spec, spec, algorithm, platform),
          });
        }
        const add = (entries: readonly WrittenAccount[]) => ({
          ...written,
          accounts: [...written.accounts, ...entries],
        });
        for (const { index, ...issue } of findIssues(add(planned.map(({ draft }) => draft)))) {
          issues.push({ account: planned[index - written.accounts.length]?.spec as AccountSpec, ...issue });
        }
        const requests = planned.map(({ request }) => request);
        const keys = await makeKeys(requests, { seal: !dryRun && issues.length === 0, onProgress });
        const entries = planned.flatMap(({ spec, draft }, index) => {
          const made = keys[index] as NewKey | FieldIssue;
          if (!('message' in made)) return [withKey(draft, made)];
          issues.push({ account: spec, ...made });
          return [];
        });
        if (issues.length > 0) throw new AccountIssuesError(issues);
        return entries.length === 0 ? written : add(entries);
      },
      { dryRun },
    );
    const existing = new Set(before.accounts.map(toAccountName));
    const added = specs.filter((spec) => !existing.has(toAccountName(spec)));
    const additions: Addition[] = [];
    for (const [index, spec] of added.entries()) {
      const { key: _, ...account } = after.accounts[before.accounts.length + index] as ListedAccount;
      additions.push({ spec, account: await this.#identify(account) });
    }
    return additions;
  }

  /** Changes an account's own fields; its key is not opened. */
  async editAccount(
    ids: AccountIds,
    { alias, environment, values, removeValue = [] }: AccountEdit,
  ): Promise<AccountChange> {
    return this.#editOne(ids, (written, { account, platform }) => {
      const missing = removeValue.find((name) => !Object.hasOwn(account.values ?? {}, name));
      if (missing !== undefined) {
        throw new OperatorError(
          `${describeAccount(ids)} has no value ${JSON.stringify(missing)}; nothing was changed.`,
        );
      }
      const both = removeValue.find((name) => Object.hasOwn(values ?? {}, name));
      if (both !== undefined) {
        throw new OperatorError(`Value ${JSON.stringify(both)} is both set and removed; nothing was changed.`);
      }
      const removed = Object.fromEntries(removeValue.map((name) => [name, undefined]));
      const after = mergeValues(account.values, removed, values);
      const issue = findPassphraseEditIssue(after, account, platform);
      if (issue !== undefined) throw new OperatorError(issue);
      return {
        ...written,
        alias: alias ?? written.alias,
        environment: environment ?? written.environment,
        values: after,
      };
    });
  }

  /**
   * Replaces the key of an account by a new or imported one, tested before it is sealed, and some
   * of its fixed values. Refuses the key that the account has, unless values change.
   */
  async replaceKey({ platformId, accountId, dryRun, overlap, ...given }: KeyReplacement): Promise<AccountChange> {
    const ids = { platformId, accountId };
    let publicKey: string | null = null;
    const { before, account } = await this.#editOne(
      ids,
      async (written, { account, platform, makeKeys }) => {
        const { algorithm, values } = account;
        const issues = findOriginIssues(ids, given, algorithm, platform, findStalePassphrase(given, values));
        const request = await this.#toRequest(ids, given, algorithm, platform);
        const [made] = (await makeKeys([request], { seal: !dryRun && issues.length === 0 })) as [NewKey | FieldIssue];
        const found = 'message' in made ? [...issues, { account: ids, ...made }] : issues;
        if ('message' in made || found.length > 0) throw new AccountIssuesError(found);
        const changed = { ...given.values, ...made.values };
        if (made.publicKey === account.publicKey && Object.keys(changed).length === 0) {
          throw new OperatorError(`${describeAccount(ids)} has this key already; nothing was changed.`);
        }
        publicKey = made.publicKey ?? null;
        return withKey(
          { ...written, values: mergeValues(values, given.values), overlapSeconds: overlap || undefined },
          made,
        );
      },
      { dryRun },
    );
    return { before, account: await this.#identify({ ...account, publicKey }) };
  }

  /**
   * Sets the status of an account, or with `same-key` of all accounts with its key, in one change.
   * @returns other accounts with that key, with their status
   */
  async setStatus(
    ids: AccountIds,
    status: AccountStatus,
    reach: 'account' | 'same-key' = 'account',
  ): Promise<KeyComparison> {
    const { after } = await this.#parts.editor.edit((written, { accounts }) => {
      const account = findAccount(accounts, ids);
      const changed = new Set([account, ...(reach === 'account' ? [] : compareKeys(accounts, account).sameKey)]);
      const isChanged = (index: number) => changed.has(accounts[index] as ListedAccount);
      const entries = written.accounts.map((entry, index) => (isChanged(index) ? { ...entry, status } : entry));
      return { ...written, accounts: entries };
    });
    return compareKeys(after.accounts, findAccount(after.accounts, ids));
  }

  /** Removes a disabled account and its key permanently. */
  async removeAccount(ids: AccountIds): Promise<void> {
    await this.#parts.editor.edit((written, { accounts }) => {
      const account = findAccount(accounts, ids);
      if (account.status !== 'active') {
        return { ...written, accounts: written.accounts.toSpliced(accounts.indexOf(account), 1) };
      }
      throw new OperatorError(
        `${describeAccount(ids)} is active; nothing was changed. ` +
          'Disable it first with `signing-service account disable`, and make sure that it is no longer needed: removing it destroys its key.',
      );
    });
  }

  async #editOne(
    ids: AccountIds,
    change: (written: WrittenAccount, context: EditContext) => WrittenAccount | Promise<WrittenAccount>,
    options?: EditOptions,
  ): Promise<AccountChange> {
    const { before, after } = await this.#parts.editor.edit(async (written, listing, { makeKeys }) => {
      const account = findAccount(listing.accounts, ids);
      const index = listing.accounts.indexOf(account);
      const platform = listing.platforms.find(({ platformId }) => platformId === ids.platformId);
      const changed = await change(written.accounts[index] as WrittenAccount, { account, platform, makeKeys });
      return { ...written, accounts: written.accounts.with(index, changed) };
    }, options);
    return {
      before: await this.#identify(findAccount(before.accounts, ids)),
      account: await this.#identify(findAccount(after.accounts, ids)),
    };
  }

  #toDraft(
    { platformId, accountId, alias, status, environment, values }: AccountSpec,
    algorithm: Algorithm,
  ): WrittenAccount {
    return {
      platformId,
      accountId,
      alias: alias ?? accountId,
      status: status ?? 'active',
      environment: environment ?? 'production',
      algorithm,
      publicKey: undefined,
      createdAt: formatTime(this.#parts.clock.now()),
      values,
      // The schema requires one.
      key: { file: '-' },
    };
  }

  async #toRequest(
    { platformId, accountId }: AccountIds,
    origin: KeyOrigin,
    algorithm: Algorithm,
    platform: Platform | undefined,
  ): Promise<KeyRequest> {
    const { loadSigner, keyStore } = this.#parts;
    const account = { platformId, accountId, algorithm };
    const signer = await loadSigner(algorithm);
    const hasPassphrase = platform !== undefined && origin.passphraseFile !== undefined && isMacAlgorithm(algorithm);
    return {
      account,
      origin,
      secretDecoding: toSecretDecoding(platform),
      derivePublicKey: (privateKey) => {
        const { handle, publicKey } = admitKey(keyStore, signer, account, privateKey);
        keyStore.discard(handle);
        return publicKey;
      },
      signPassphrase: hasPassphrase ? toPassphraseSigner(keyStore, signer, account, platform) : undefined,
    };
  }

  async #identify<Listed extends Pick<ListedAccount, 'algorithm' | 'publicKey'>>(
    account: Listed,
  ): Promise<Identified<Listed>> {
    const { algorithm, publicKey } = account;
    const keyId = publicKey === null ? null : toKeyId(this.#parts.hasher, { algorithm, publicKey });
    const { address } = await this.#parts.loadSigner(algorithm);
    if (address === undefined) return { ...account, keyId };
    return { ...account, address: publicKey === null ? null : address(publicKey), keyId };
  }
}

/** What a change of one account gets of it. */
interface EditContext extends Pick<EditTools, 'makeKeys'> {
  readonly account: ListedAccount;
  readonly platform: Platform | undefined;
}

/** An account to add, without its key. */
interface Planned {
  readonly spec: AccountSpec;
  readonly draft: WrittenAccount;
  readonly request: KeyRequest;
}

const EXISTS: FieldIssue = { field: 'accountId', message: 'already exists on its platform' };

/** The algorithm of a new account, or why it needs an explicit one. */
function findAlgorithm({ algorithm }: AccountSpec, platform: Platform | undefined): Algorithm | FieldIssue {
  if (algorithm !== undefined) return algorithm;
  if (platform === undefined) return { field: 'platformId', message: UNKNOWN_PLATFORM };
  const [only, ...others] = platform.algorithms;
  if (only !== undefined && others.length === 0) return only;
  return { field: 'algorithm', message: `is required, because the platform allows ${platform.algorithms.join(', ')}` };
}

/** Fields of a key file. */
const OF_KEY_FILE = ['keyFormat', 'passwordFile', 'derivationPath', 'passphraseFile'] as const;

/**
 * Issues of the source of a key.
 * @param missing why it needs a passphrase file
 */
function findOriginIssues(
  account: AccountIds,
  key: KeyOrigin & { readonly values?: FixedValues | undefined },
  algorithm: Algorithm,
  platform: Platform | undefined,
  missing: string | undefined,
): readonly AccountIssue[] {
  const alone = key.keyFile === undefined ? OF_KEY_FILE.filter((field) => key[field] !== undefined) : [];
  const message = findPassphraseIssue(key, algorithm, platform) ?? missing;
  return [
    ...alone.map((field) => ({ account, field, message: 'requires a key file' })),
    ...(message === undefined ? [] : [{ account, field: 'passphraseFile', message }]),
  ];
}

/** With its new key and the values that follow from it. */
function withKey(account: WrittenAccount, { publicKey, key, values }: NewKey): WrittenAccount {
  return {
    ...account,
    publicKey: publicKey ?? account.publicKey,
    values: mergeValues(account.values, values),
    key: key ?? account.key,
  };
}

/** Later values replace earlier ones, undefined removes them; undefined without any. */
function mergeValues(...all: readonly ({ readonly [name: string]: string | undefined } | undefined)[]) {
  const merged = Object.fromEntries(all.flatMap((some = {}) => Object.entries(some)));
  const values = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return values.length === 0 ? undefined : (Object.fromEntries(values) as FixedValues);
}

/** The account with these IDs. @throws OperatorError if it does not exist */
export function findAccount<Listed extends AccountIds>(accounts: readonly Listed[], ids: AccountIds): Listed {
  const account = accounts.find((one) => toAccountName(one) === toAccountName(ids));
  if (account !== undefined) return account;
  const [id, platform] = [ids.accountId, ids.platformId].map((text) => JSON.stringify(text));
  throw new OperatorError(
    `No such account: ${id} on platform ${platform}. List the accounts with \`signing-service account list\`.`,
  );
}

function describeAccount({ platformId, accountId }: AccountIds): string {
  return `Account ${JSON.stringify(accountId)} on platform ${JSON.stringify(platformId)}`;
}

/** `--key-file` for `keyFile`; other fields are named as in the configuration. */
function toOption(field: string): string {
  const isOption = /File$|^keyFormat$|^derivationPath$/.test(field);
  return isOption ? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}` : field;
}
