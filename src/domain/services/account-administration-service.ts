import type { Clock } from '../../ports/clock.ts';
import type {
  AccountAddition,
  AccountChange,
  AccountDetails,
  AccountEdit,
  AddedAccount,
  AdditionIssue,
  AdditionOptions,
  AdditionOutcome,
  ConfiguredAccount,
  CredentialEditor,
  CredentialListing,
  KeyOrigin,
  StatusChange,
  StatusScope,
} from '../../ports/credential-editor.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyIdentity, KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import {
  type AccountProfile,
  type AccountStatus,
  type SecretDecoding,
  toAccountName,
  type WithAddress,
} from '../model/account.ts';
import { type Algorithm, isMacAlgorithm, type SignatureEncoding } from '../model/algorithm.ts';
import { EditRefusedError } from '../model/errors.ts';
import type { FixedValues, PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import {
  type ConfiguredNamedRule,
  type ConfiguredRule,
  completeRule,
  completeRules,
  type DataFormat,
  DEFAULT_RULE_OF_FORMAT,
  defaultAlgorithms,
  type Platform,
  type PlatformVerify,
} from '../model/platform.ts';
import type { PolicyEntry } from '../model/policy.ts';
import { UNKNOWN_PLATFORM } from '../model/refusal.ts';
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
import type { PolicyCompiler } from './policy-compiler.ts';

/** Input of `platform add`; absent options follow from the format and the rule. */
export interface PlatformSpec {
  readonly platformId: string;
  readonly format: DataFormat;
  readonly algorithms?: readonly Algorithm[];
  readonly encoding?: SignatureEncoding;
  /** Rule name, with default options. */
  readonly rule?: PayloadRuleName;
  /** A rule with options, instead of `rule`. */
  readonly payload?: ConfiguredRule;
  /** Named rules; absent: none. */
  readonly rules?: { readonly [name: string]: ConfiguredNamedRule };
  readonly secretDecoding?: SecretDecoding;
  readonly verify?: PlatformVerify;
  /** See {@link PlatformAudit}; absent: the format's allowlist alone. */
  readonly auditClear?: readonly string[];
}

/** Input of `account add`. */
export interface AccountSpec {
  readonly platformId: string;
  readonly accountId: string;
  /** Default: the only algorithm of the platform. */
  readonly algorithm?: Algorithm;
  /** Absent: the accountId. */
  readonly alias?: string;
  /** Absent: `production`. */
  readonly environment?: string;
  /** Values of {account.NAME}; absent: none. */
  readonly values?: FixedValues;
  /** Absent: `active`. */
  readonly status?: AccountStatus;
  readonly origin: KeyOrigin;
}

/** What an editor needs to check and use a key. */
type KeyTools = Pick<AccountAddition, 'lengths' | 'derivePublicKey' | 'signPassphrase'>;

/** Input of `account replace-key`. */
export interface KeyReplacementSpec {
  readonly platformId: string;
  readonly accountId: string;
  readonly origin: KeyOrigin;
  /** Values of {account.NAME} to set; absent: none. */
  readonly values?: FixedValues;
  /** Seconds, 0 to `MAX_OVERLAP_SECONDS`. */
  readonly overlapSeconds: number;
  /** Checks everything without a change. */
  readonly dryRun: boolean;
}

/** An account with its address and the short name of its key. */
export type IdentifiedAccount = WithAddress<ConfiguredAccount> & {
  /** See `Account.keyId`; null without a public key. */
  readonly keyId: string | null;
};

/** An account before and after a change. */
export interface ShownChange {
  readonly before: IdentifiedAccount;
  readonly account: IdentifiedAccount;
}

/** An account of the configuration. */
type ListedAccount = IdentifiedAccount & {
  /** Only if the platform is disabled: the account cannot sign even if its status is active. */
  readonly platformStatus?: 'disabled';
};

/** One account in full, without its key. */
export interface ShownAccount extends AccountDetails {
  readonly account: ListedAccount;
}

/** The configuration, with what the service adds to accounts. */
export interface AccountListing extends CredentialListing {
  readonly accounts: readonly ListedAccount[];
}

/**
 * Changes the configuration from the command line. A running service picks changes up
 * automatically or on a reload.
 */
export class AccountAdministrationService {
  readonly #editor: CredentialEditor;
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;
  readonly #clock: Clock;
  readonly #policies: PolicyCompiler;
  readonly #hasher: Hasher;

  constructor(
    editor: CredentialEditor,
    keyStore: KeyStore,
    signers: SignerTable,
    clock: Clock,
    policies: PolicyCompiler,
    hasher: Hasher,
  ) {
    this.#editor = editor;
    this.#keyStore = keyStore;
    this.#signers = signers;
    this.#clock = clock;
    this.#policies = policies;
    this.#hasher = hasher;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#editor.location;
  }

  async list(): Promise<AccountListing> {
    const listing = await this.#editor.list();
    const disabled = findDisabled(listing);
    return { ...listing, accounts: listing.accounts.map((account) => this.#toListed(account, disabled)) };
  }

  /** @throws EditRefusedError if the account does not exist; CredentialLoadError */
  async showAccount(platformId: string, accountId: string): Promise<ShownAccount> {
    const disabled = findDisabled(await this.#editor.list());
    const details = await this.#editor.showAccount(platformId, accountId);
    return { ...details, account: this.#toListed(details.account, disabled) };
  }

  /** Changes an account's own fields. @throws EditRefusedError, CredentialLoadError */
  async editAccount(platformId: string, accountId: string, edit: AccountEdit): Promise<ShownChange> {
    const { account, platform } = await this.#find(platformId, accountId);
    const issue = account && findPassphraseEditIssue(edit, account, platform);
    if (issue !== undefined) throw new EditRefusedError(`${issue} Nothing was changed.`);
    return this.#toShownChange(await this.#editor.editAccount(platformId, accountId, edit));
  }

  /**
   * Removes a platform without accounts. @throws EditRefusedError that names its accounts;
   * CredentialLoadError
   */
  removePlatform(platformId: string): Promise<void> {
    return this.#editor.removePlatform(platformId);
  }

  /**
   * Adds a platform with defaults filled in, and policies, and returns it. @throws
   * EditRefusedError, CredentialLoadError
   */
  async addPlatform(spec: PlatformSpec, policies: readonly PolicyEntry[] = []): Promise<Platform> {
    const { platformId, format, encoding, rules, secretDecoding, verify, auditClear } = spec;
    const payload = toPayloadRule(spec);
    const platform: Platform = {
      platformId,
      format,
      algorithms: spec.algorithms ?? defaultAlgorithms(format, payload),
      ...(encoding === undefined ? {} : { encoding }),
      payload,
      ...(rules === undefined ? {} : { rules: completeRules(rules) }),
      ...(auditClear === undefined ? {} : { audit: { clear: auditClear } }),
      ...(secretDecoding === undefined ? {} : { secretDecoding }),
      ...(verify === undefined ? {} : { verify }),
    };
    await this.#assertDecidable([platform], policies);
    await this.#editor.addPlatform(platform, policies);
    return platform;
  }

  /** Adds policies, compiled for all platforms. @throws EditRefusedError, CredentialLoadError */
  async addPolicies(policies: readonly PolicyEntry[]): Promise<void> {
    const { platforms } = await this.#editor.list();
    await this.#assertDecidable(platforms, policies);
    await this.#editor.addPolicies(policies);
  }

  /**
   * Sets the status of a platform, and none of its accounts. @throws EditRefusedError,
   * CredentialLoadError
   */
  setPlatformStatus(platformId: string, status: AccountStatus): Promise<void> {
    return this.#editor.setPlatformStatus(platformId, status);
  }

  /**
   * Adds an account with a new or imported key, tested before it is sealed, and returns it with
   * the short name of its key. @throws EditRefusedError, CredentialLoadError
   */
  async addAccount(spec: AccountSpec): Promise<WithAddress<AccountProfile> & { readonly keyId: string }> {
    const algorithm = spec.algorithm ?? (await this.#findOnlyAlgorithm(spec.platformId));
    const platform = (await this.#getPlatforms()).get(spec.platformId);
    const issue = findNewPassphraseIssue(spec, algorithm, platform);
    if (issue !== undefined) throw new EditRefusedError(`--passphrase-file ${issue}. Nothing was changed.`);
    const addition = this.#toAddition(spec, algorithm, platform);
    const { draft, origin, lengths, derivePublicKey, signPassphrase } = addition;
    const profile = await this.#editor.addAccount(draft, origin, lengths, derivePublicKey, signPassphrase);
    return { ...this.#withAddress(profile), keyId: toKeyId(this.#hasher, profile) };
  }

  /**
   * Adds many accounts in one change, all or none; see {@link CredentialEditor.addAccounts}.
   * @throws CredentialLoadError, EditRefusedError
   */
  async addAccounts(specs: readonly AccountSpec[], options: AdditionOptions): Promise<AdditionOutcome> {
    const platforms = await this.#getPlatforms();
    const skipped = options.skipExisting ? await this.#getAccountNames() : NONE;
    const additions: AccountAddition[] = [];
    const indices: number[] = [];
    const issues: AdditionIssue[] = [];
    for (const [index, spec] of specs.entries()) {
      const [algorithm, ...others] =
        spec.algorithm === undefined ? (platforms.get(spec.platformId)?.algorithms ?? []) : [spec.algorithm];
      const platform = platforms.get(spec.platformId);
      if (algorithm === undefined || others.length > 0) {
        issues.push({ index, ...toAlgorithmIssue(platform?.algorithms) });
        continue;
      }
      const findIssue = skipped.has(toAccountName(spec)) ? findPassphraseIssue : findNewPassphraseIssue;
      const message = platform && findIssue(spec, algorithm, platform);
      if (message !== undefined) issues.push({ index, field: 'passphraseFile', message });
      additions.push(this.#toAddition(spec, algorithm, platform));
      indices.push(index);
    }
    // Report the issues of the others, too.
    const isRefused = issues.length > 0;
    const outcome = await this.#editor.addAccounts(additions, isRefused ? { ...options, dryRun: true } : options);
    if (!isRefused) return this.#withAddresses(outcome);
    const more = outcome.outcome === 'refused' ? outcome.issues : [];
    const all = [...issues, ...more.map((issue) => ({ ...issue, index: indices[issue.index] ?? issue.index }))];
    return { outcome: 'refused', issues: all.toSorted((left, right) => left.index - right.index) };
  }

  /**
   * Replaces the key of an account by a new or imported one, tested before it is sealed, and some
   * of its fixed values. @throws EditRefusedError, CredentialLoadError
   */
  async replaceKey(spec: KeyReplacementSpec): Promise<ShownChange> {
    const { platformId, accountId, values = {}, ...others } = spec;
    const { account, platform } = await this.#find(platformId, accountId);
    if (account === undefined) throw noSuchAccount(platformId, accountId);
    const { algorithm } = account;
    const issue = findPassphraseIssue(spec, algorithm, platform) ?? findStalePassphrase(spec, account.values);
    if (issue !== undefined) throw new EditRefusedError(`--passphrase-file ${issue}. Nothing was changed.`);
    const tools = this.#toKeyTools({ platformId, accountId, algorithm }, spec.origin, platform);
    const change = await this.#editor.replaceKey({ platformId, accountId, algorithm, values, ...tools, ...others });
    return this.#toShownChange(change);
  }

  /**
   * Sets the status of an account, or of all accounts with its key.
   * @throws EditRefusedError, CredentialLoadError
   */
  setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusScope = 'account',
  ): Promise<StatusChange> {
    return this.#editor.setStatus(platformId, accountId, status, reach);
  }

  /**
   * Removes a disabled account and its key permanently.
   * @throws EditRefusedError, CredentialLoadError
   */
  removeAccount(platformId: string, accountId: string): Promise<void> {
    return this.#editor.removeAccount(platformId, accountId);
  }

  #toListed(account: ConfiguredAccount, disabled: ReadonlySet<string>): ListedAccount {
    return { ...this.#identify(account), ...(disabled.has(account.platformId) ? PLATFORM_DISABLED : {}) };
  }

  #toShownChange({ before, account }: AccountChange): ShownChange {
    return { before: this.#identify(before), account: this.#identify(account) };
  }

  #identify(account: ConfiguredAccount): IdentifiedAccount {
    const { algorithm, publicKey } = account;
    const keyId = publicKey === null ? null : toKeyId(this.#hasher, { algorithm, publicKey });
    return { ...this.#withAddress(account), keyId };
  }

  #withAddress<Listed extends Pick<AddedAccount, 'algorithm' | 'publicKey'>>(account: Listed): WithAddress<Listed> {
    const { algorithm, publicKey } = account;
    const { address } = this.#signers[algorithm];
    return address === undefined ? account : { ...account, address: publicKey === null ? null : address(publicKey) };
  }

  #withAddresses(outcome: AdditionOutcome): AdditionOutcome {
    if (outcome.outcome === 'refused') return outcome;
    const accounts = outcome.accounts.map((account) => (account === null ? null : this.#withAddress(account)));
    return { ...outcome, accounts };
  }

  /** Policies on all platforms may read what the new one does not sign. @throws EditRefusedError */
  async #assertDecidable(platforms: readonly Platform[], added: readonly PolicyEntry[]): Promise<void> {
    const { policies, budgets } = await this.#editor.list();
    const slice = new TimeSlice(this.#clock);
    const compiled = await this.#policies.compile([...policies, ...added], platforms, slice, budgets);
    if (compiled.ok) return;
    const [issue] = compiled.refusal;
    throw new EditRefusedError(`Nothing was changed: ${issue?.path ?? 'policies'} ${issue?.message ?? ''}.`);
  }

  #toAddition(spec: AccountSpec, algorithm: Algorithm, platform: Platform | undefined): AccountAddition {
    const { platformId, accountId, values, origin } = spec;
    const draft = {
      platformId,
      accountId,
      alias: spec.alias ?? accountId,
      status: spec.status ?? 'active',
      environment: spec.environment ?? 'production',
      algorithm,
      createdAt: formatTime(this.#clock.now()),
      ...(values === undefined ? {} : { values }),
    } as const;
    return { draft, origin, ...this.#toKeyTools({ platformId, accountId, algorithm }, origin, platform) };
  }

  /** What an editor needs to check a key of this account, and to sign its passphrase. */
  #toKeyTools(identity: KeyIdentity, origin: KeyOrigin, platform: Platform | undefined): KeyTools {
    const signer = this.#signers[identity.algorithm];
    return {
      lengths: signer.privateKeyLengths,
      derivePublicKey: (privateKey) => {
        const { handle, publicKey } = admitKey(this.#keyStore, signer, identity, privateKey);
        this.#keyStore.discard(handle);
        return publicKey;
      },
      ...(platform === undefined || !hasPassphrase(origin) || !isMacAlgorithm(identity.algorithm)
        ? {}
        : { signPassphrase: toPassphraseSigner(this.#keyStore, signer, identity, platform) }),
    };
  }

  /** An account and its platform; undefined if missing. */
  async #find(platformId: string, accountId: string) {
    const { accounts, platforms } = await this.#editor.list();
    return {
      account: accounts.find((one) => one.platformId === platformId && one.accountId === accountId),
      platform: platforms.find((one) => one.platformId === platformId),
    };
  }

  async #getPlatforms(): Promise<ReadonlyMap<string, Platform>> {
    const { platforms } = await this.#editor.list();
    return new Map(platforms.map((platform) => [platform.platformId, platform]));
  }

  async #getAccountNames(): Promise<ReadonlySet<string>> {
    const { accounts } = await this.#editor.list();
    return new Set(accounts.map(toAccountName));
  }

  async #findOnlyAlgorithm(platformId: string): Promise<Algorithm> {
    const { platforms } = await this.#editor.list();
    const platform = platforms.find((known) => known.platformId === platformId);
    if (platform === undefined) {
      throw new EditRefusedError(
        `Platform ${JSON.stringify(platformId)} does not exist. Add it first with \`signing-service platform add\`.`,
      );
    }
    const [algorithm, ...others] = platform.algorithms;
    if (algorithm !== undefined && others.length === 0) return algorithm;
    throw new EditRefusedError(
      `Platform ${JSON.stringify(platformId)} allows ${platform.algorithms.join(', ')}; select one with --algorithm.`,
    );
  }
}

const NONE: ReadonlySet<string> = new Set();

const PLATFORM_DISABLED = { platformStatus: 'disabled' } as const;

function noSuchAccount(platformId: string, accountId: string): EditRefusedError {
  const [account, platform] = [accountId, platformId].map((id) => JSON.stringify(id));
  return new EditRefusedError(`No such account: ${account} on platform ${platform}; nothing was changed.`);
}

/** IDs of disabled platforms. */
function findDisabled({ platforms }: CredentialListing): ReadonlySet<string> {
  return new Set(platforms.filter(({ status }) => status === 'disabled').map(({ platformId }) => platformId));
}

/** Why an account needs an explicit algorithm. */
function toAlgorithmIssue(algorithms: readonly Algorithm[] | undefined): Omit<AdditionIssue, 'index'> {
  if (algorithms === undefined) return { field: 'platformId', message: UNKNOWN_PLATFORM };
  return { field: 'algorithm', message: `is required, because the platform allows ${algorithms.join(', ')}` };
}

function toPayloadRule({ format, rule, payload }: PlatformSpec): PayloadRule {
  if (payload !== undefined) return completeRule(payload);
  const byFormat = DEFAULT_RULE_OF_FORMAT[format];
  return rule === undefined || rule === byFormat.rule ? byFormat : completeRule({ rule });
}
