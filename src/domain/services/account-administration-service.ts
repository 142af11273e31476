import type {
  AccountAddition,
  AccountChange,
  AccountEdit,
  AddedAccount,
  AdditionOptions,
  AdditionOutcome,
  CredentialListing,
  KeyIssue,
  KeyOrigin,
  KeyTools,
  ListedAccount,
  PlannedAddition,
  StatusChange,
  StatusScope,
} from '../../ports/credential-editor.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyIdentity } from '../../ports/key-store.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LoadSigner } from '../../ports/signer.ts';
import {
  type AccountIds,
  type AccountProfile,
  type AccountStatus,
  toAccountName,
  type WithAddress,
} from '../model/account.ts';
import { UNKNOWN_PLATFORM } from '../model/account-issues.ts';
import { type Algorithm, isMacAlgorithm } from '../model/algorithm.ts';
import { OperatorError } from '../model/errors.ts';
import type { FixedValues } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import { formatTime } from '../model/text/iso-time.ts';
import { admitKey, toKeyId } from './key-admission.ts';
import {
  findNewPassphraseIssue,
  findPassphraseEditIssue,
  findPassphraseIssue,
  findStalePassphrase,
  hasPassphrase,
  toPassphraseSigner,
} from './key-passphrase.ts';

/** Input of `account add`. */
export interface AccountSpec {
  readonly platformId: string;
  readonly accountId: string;
  /** Default: the only algorithm of the platform. */
  readonly algorithm?: Algorithm | undefined;
  /** Absent: the accountId. */
  readonly alias?: string | undefined;
  /** Absent: `production`. */
  readonly environment?: string | undefined;
  /** Values of {account.NAME}; absent: none. */
  readonly values?: FixedValues | undefined;
  /** Absent: `active`. */
  readonly status?: AccountStatus | undefined;
  readonly origin: KeyOrigin;
}

/** Input of `account replace-key`. */
export interface KeyReplacementSpec {
  readonly platformId: string;
  readonly accountId: string;
  readonly origin: KeyOrigin;
  /** Values of {account.NAME} to set; absent: none. */
  readonly values?: FixedValues | undefined;
  /** Seconds, 0 to `MAX_OVERLAP_SECONDS`. */
  readonly overlapSeconds: number;
  /** Checks everything without a change. */
  readonly dryRun: boolean;
}

/** An account with its address and the short name of its key. */
export type IdentifiedAccount = WithAddress<ListedAccount> & {
  /** See `Account.keyId`; null without a public key. */
  readonly keyId: string | null;
};

/** An account before and after a change. */
export interface ShownChange {
  readonly before: IdentifiedAccount;
  readonly account: IdentifiedAccount;
}

/** An account of the configuration, as commands show it. */
export type ShownAccount = IdentifiedAccount & {
  /** Only if the platform is disabled: the account cannot sign even if its status is active. */
  readonly platformStatus?: 'disabled';
};

/** The configuration, with what the service adds to accounts. */
export interface AccountListing extends CredentialListing {
  readonly accounts: readonly ShownAccount[];
}

type Parts = Pick<Ports, 'editor' | 'keyStore' | 'clock'> & {
  readonly loadSigner: LoadSigner;
  readonly hasher: Pick<Hasher, 'sha256'>;
};

/**
 * Changes accounts from the command line. A running service picks changes up automatically or on a
 * reload.
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
    const disabled = findDisabled(listing);
    const accounts: ShownAccount[] = [];
    for (const account of listing.accounts) accounts.push(await this.#toListed(account, disabled));
    return { ...listing, accounts };
  }

  /** @throws OperatorError if the account does not exist; CredentialLoadError */
  async showAccount(platformId: string, accountId: string): Promise<ShownAccount> {
    const { accounts } = await this.list();
    const account = accounts.find((one) => one.platformId === platformId && one.accountId === accountId);
    if (account === undefined) throw noSuchAccount(platformId, accountId);
    return account;
  }

  /** Changes an account's own fields. @throws OperatorError */
  async editAccount(platformId: string, accountId: string, edit: AccountEdit): Promise<ShownChange> {
    const check = (account: ListedAccount, platform: Platform | undefined) => {
      const issue = findPassphraseEditIssue(edit, account, platform);
      if (issue !== undefined) throw new OperatorError(`${issue} Nothing was changed.`);
    };
    return this.#toShownChange(await this.#parts.editor.editAccount({ platformId, accountId }, edit, check));
  }

  /**
   * Adds an account with a new or imported key, tested before it is sealed, and returns it with
   * the short name of its key. @throws OperatorError
   */
  async addAccount(spec: AccountSpec): Promise<WithAddress<AccountProfile> & { readonly keyId: string }> {
    const outcome = await this.#parts.editor.addAccounts((listing) => this.#plan([spec], listing, false), {
      dryRun: false,
    });
    if (outcome.outcome === 'refused') throw refuse(spec, outcome.issues);
    const [added] = outcome.accounts;
    if (typeof added?.publicKey !== 'string') throw new Error('The editor added no account.');
    const { address: _, ...draft } = added;
    const profile: AccountProfile = { ...draft, publicKey: added.publicKey };
    return { ...(await this.#withAddress(profile)), keyId: toKeyId(this.#parts.hasher, profile) };
  }

  /**
   * Adds many accounts in one change, all or none; see {@link CredentialEditor.addAccounts}.
   * @throws OperatorError
   */
  async addAccounts(
    specs: readonly AccountSpec[],
    { skipExisting, ...options }: AdditionOptions & { readonly skipExisting: boolean },
  ): Promise<AdditionOutcome> {
    const plan = (listing: CredentialListing) => this.#plan(specs, listing, skipExisting);
    const outcome = await this.#parts.editor.addAccounts(plan, options);
    if (outcome.outcome === 'refused') return outcome;
    const accounts: (WithAddress<AddedAccount> | null)[] = [];
    for (const account of outcome.accounts) accounts.push(account && (await this.#withAddress(account)));
    return { ...outcome, accounts };
  }

  async #plan(
    specs: readonly AccountSpec[],
    listing: CredentialListing,
    skipExisting: boolean,
  ): Promise<readonly PlannedAddition[]> {
    const platforms = new Map(listing.platforms.map((platform) => [platform.platformId, platform]));
    const existing = new Set(listing.accounts.map(toAccountName));
    const planned: PlannedAddition[] = [];
    for (const spec of specs) {
      const platform = platforms.get(spec.platformId);
      const [algorithm, ...others] = spec.algorithm === undefined ? (platform?.algorithms ?? []) : [spec.algorithm];
      if (algorithm === undefined || others.length > 0) {
        planned.push({ addition: null, issue: toAlgorithmIssue(platform?.algorithms) });
        continue;
      }
      const isSkipped = skipExisting && existing.has(toAccountName(spec));
      const message = (isSkipped ? findPassphraseIssue : findNewPassphraseIssue)(spec, algorithm, platform);
      planned.push({
        addition: isSkipped ? null : await this.#toAddition(spec, algorithm, platform),
        issue: message === undefined ? undefined : { field: 'passphraseFile', message },
      });
    }
    return planned;
  }

  /**
   * Replaces the key of an account by a new or imported one, tested before it is sealed, and some
   * of its fixed values. @throws OperatorError
   */
  async replaceKey(spec: KeyReplacementSpec): Promise<ShownChange> {
    const { platformId, accountId, values = {}, origin, overlapSeconds, dryRun } = spec;
    const plan = async ({ algorithm, values: present }: ListedAccount, platform: Platform | undefined) => {
      const issue = findPassphraseIssue(spec, algorithm, platform) ?? findStalePassphrase(spec, present);
      if (issue !== undefined) throw new OperatorError(`--passphrase-file ${issue}. Nothing was changed.`);
      const tools = await this.#toKeyTools({ platformId, accountId, algorithm }, origin, platform);
      return { ...tools, origin, values, overlapSeconds };
    };
    const change = await this.#parts.editor.replaceKey({ platformId, accountId }, plan, dryRun);
    if ('message' in change) throw refuse(spec, [change]);
    return this.#toShownChange(change);
  }

  /**
   * Sets the status of an account, or of all accounts with its key.
   * @throws OperatorError
   */
  setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusScope = 'account',
  ): Promise<StatusChange> {
    return this.#parts.editor.setStatus(platformId, accountId, status, reach);
  }

  /**
   * Removes a disabled account and its key permanently.
   * @throws OperatorError
   */
  removeAccount(platformId: string, accountId: string): Promise<void> {
    return this.#parts.editor.removeAccount(platformId, accountId);
  }

  async #toListed(account: ListedAccount, disabled: ReadonlySet<string>): Promise<ShownAccount> {
    return { ...(await this.#identify(account)), ...(disabled.has(account.platformId) ? PLATFORM_DISABLED : {}) };
  }

  async #toShownChange({ before, account }: AccountChange): Promise<ShownChange> {
    return { before: await this.#identify(before), account: await this.#identify(account) };
  }

  async #identify(account: ListedAccount): Promise<IdentifiedAccount> {
    const { algorithm, publicKey } = account;
    const keyId = publicKey === null ? null : toKeyId(this.#parts.hasher, { algorithm, publicKey });
    return { ...(await this.#withAddress(account)), keyId };
  }

  async #withAddress<Listed extends Pick<AddedAccount, 'algorithm' | 'publicKey'>>(
    account: Listed,
  ): Promise<WithAddress<Listed>> {
    const { algorithm, publicKey } = account;
    const { address } = await this.#parts.loadSigner(algorithm);
    return address === undefined ? account : { ...account, address: publicKey === null ? null : address(publicKey) };
  }

  async #toAddition(spec: AccountSpec, algorithm: Algorithm, platform: Platform | undefined): Promise<AccountAddition> {
    const { platformId, accountId, values, origin } = spec;
    const draft = {
      platformId,
      accountId,
      alias: spec.alias ?? accountId,
      status: spec.status ?? 'active',
      environment: spec.environment ?? 'production',
      algorithm,
      createdAt: formatTime(this.#parts.clock.now()),
      ...(values === undefined ? {} : { values }),
    } as const;
    return { draft, origin, ...(await this.#toKeyTools({ platformId, accountId, algorithm }, origin, platform)) };
  }

  /** What an editor needs to check a key of this account, and to sign its passphrase. */
  async #toKeyTools(identity: KeyIdentity, origin: KeyOrigin, platform: Platform | undefined): Promise<KeyTools> {
    const signer = await this.#parts.loadSigner(identity.algorithm);
    return {
      derivePublicKey: (privateKey) => {
        const { handle, publicKey } = admitKey(this.#parts.keyStore, signer, identity, privateKey);
        this.#parts.keyStore.discard(handle);
        return publicKey;
      },
      ...(platform === undefined || !hasPassphrase(origin) || !isMacAlgorithm(identity.algorithm)
        ? {}
        : { signPassphrase: toPassphraseSigner(this.#parts.keyStore, signer, identity, platform) }),
    };
  }
}

const PLATFORM_DISABLED = { platformStatus: 'disabled' } as const;

/** A refusal with the issues of one account, whose fields are options of the command. */
function refuse({ platformId, accountId }: AccountIds, issues: readonly KeyIssue[]): OperatorError {
  const [account, platform] = [accountId, platformId].map((id) => JSON.stringify(id));
  const texts = issues.map(({ field, message }) => `${toOption(field)} ${message}`);
  return new OperatorError(`Account ${account} on platform ${platform}: ${texts.join('; ')}. Nothing was changed.`);
}

/** `--key-file` for `keyFile`; other fields are named as in the configuration. */
function toOption(field: string): string {
  return field.endsWith('File') ? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}` : field;
}

function noSuchAccount(platformId: string, accountId: string): OperatorError {
  const [account, platform] = [accountId, platformId].map((id) => JSON.stringify(id));
  return new OperatorError(
    `No such account: ${account} on platform ${platform}. List the accounts with \`signing-service account list\`.`,
  );
}

/** IDs of disabled platforms. */
function findDisabled({ platforms }: CredentialListing): ReadonlySet<string> {
  return new Set(platforms.filter(({ status }) => status === 'disabled').map(({ platformId }) => platformId));
}

/** Why an account needs an explicit algorithm. */
function toAlgorithmIssue(algorithms: readonly Algorithm[] | undefined): KeyIssue {
  if (algorithms === undefined) return { field: 'platformId', message: UNKNOWN_PLATFORM };
  return { field: 'algorithm', message: `is required, because the platform allows ${algorithms.join(', ')}` };
}
