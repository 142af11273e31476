import type { Clock } from '../../ports/clock.ts';
import type {
  AccountAddition,
  AddedAccount,
  AdditionFault,
  AdditionOptions,
  AdditionOutcome,
  CredentialEditor,
  CredentialListing,
  KeyOrigin,
  StatusChange,
  StatusReach,
} from '../../ports/credential-editor.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { AccountProfile, AccountStatus, WithAddress } from '../model/account.ts';
import type { Algorithm } from '../model/algorithm.ts';
import { completeRule, type WrittenRule } from '../model/complete-rule.ts';
import type { DataFormat } from '../model/data-format.ts';
import { EditRefusedError } from '../model/errors.ts';
import type { FixedValues } from '../model/fixed-values.ts';
import type { PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import type { Platform, PlatformVerify } from '../model/platform.ts';
import { DEFAULT_RULE_OF_FORMAT, defaultAlgorithms } from '../model/platform-defaults.ts';
import type { SecretDecoding } from '../model/secret-decoding.ts';
import type { SignatureEncoding } from '../model/signature-encoding.ts';
import { UNKNOWN_PLATFORM } from '../model/unknown-platform.ts';
import { admitKey } from './key-admission.ts';

/** A platform as an operator asks for it; what is absent follows from the format and the rule. */
export interface PlatformWish {
  readonly platformId: string;
  readonly format: DataFormat;
  readonly algorithms?: readonly Algorithm[];
  readonly encoding?: SignatureEncoding;
  /** The name of a rule, with the options that the format, else the rule, has by default. */
  readonly rule?: PayloadRuleName;
  /** A rule with its options, where `rule` does not say enough. */
  readonly payload?: WrittenRule;
  /** How the secrets of HMAC accounts are made of their texts. */
  readonly secretDecoding?: SecretDecoding;
  /** What callers may have verified. */
  readonly verify?: PlatformVerify;
  /** Paths of members whose values audit records show in clear (see `PlatformAudit`); absent: what the format shows. */
  readonly auditClear?: readonly string[];
}

/** An account as an operator asks for it. */
export interface AccountWish {
  readonly platformId: string;
  readonly accountId: string;
  /** Absent: the platform's, where it has just one. */
  readonly algorithm?: Algorithm;
  /** Absent: the accountId. */
  readonly alias?: string;
  /** Absent: `production`. */
  readonly environment?: string;
  /** What {account.NAME} stands for in the templates of the platform's rule; absent: nothing. */
  readonly values?: FixedValues;
  /** Absent: `active`. */
  readonly status?: AccountStatus;
  readonly origin: KeyOrigin;
}

/** What the configuration says, with the addresses of accounts that have one. */
export interface AccountListing extends CredentialListing {
  readonly accounts: readonly WithAddress<CredentialListing['accounts'][number]>[];
}

/** What operators do to the configuration from the command line. A running service takes it up by itself, or when it is told to reload. */
export class AccountAdministrationService {
  readonly #editor: CredentialEditor;
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;
  readonly #clock: Clock;

  constructor(editor: CredentialEditor, keyStore: KeyStore, signers: SignerTable, clock: Clock) {
    this.#editor = editor;
    this.#keyStore = keyStore;
    this.#signers = signers;
    this.#clock = clock;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#editor.location;
  }

  /** What the configuration says now, with the addresses of accounts that have one. */
  async list(): Promise<AccountListing> {
    const listing = await this.#editor.list();
    return { ...listing, accounts: listing.accounts.map((account) => this.#withAddress(account)) };
  }

  /** Adds a platform, with its format's defaults filled in, and returns it. @throws EditRefusedError, CredentialLoadError */
  async addPlatform(wish: PlatformWish): Promise<Platform> {
    const { platformId, format, encoding, secretDecoding, verify, auditClear } = wish;
    const payload = payloadRule(wish);
    const platform: Platform = {
      platformId,
      format,
      algorithms: wish.algorithms ?? defaultAlgorithms(format, payload),
      ...(encoding === undefined ? {} : { encoding }),
      payload,
      ...(auditClear === undefined ? {} : { audit: { clear: auditClear } }),
      ...(secretDecoding === undefined ? {} : { secretDecoding }),
      ...(verify === undefined ? {} : { verify }),
    };
    await this.#editor.addPlatform(platform);
    return platform;
  }

  /** Adds an account with a new or an imported key, tested before it is sealed. @throws EditRefusedError, CredentialLoadError */
  async addAccount(wish: AccountWish): Promise<WithAddress<AccountProfile>> {
    const algorithm = wish.algorithm ?? (await this.#onlyAlgorithm(wish.platformId));
    const { draft, origin, lengths, derivePublicKey } = this.#addition(wish, algorithm);
    return this.#withAddress(await this.#editor.addAccount(draft, origin, lengths, derivePublicKey));
  }

  /**
   * Adds many accounts in one change, all or none, each as {@link addAccount} does; see {@link CredentialEditor.addAccounts} for what comes of it.
   * @throws CredentialLoadError, EditRefusedError
   */
  async addAccounts(wishes: readonly AccountWish[], options: AdditionOptions): Promise<AdditionOutcome> {
    const algorithms = await this.#algorithmsByPlatform();
    const additions: AccountAddition[] = [];
    const indices: number[] = [];
    const faults: AdditionFault[] = [];
    for (const [index, wish] of wishes.entries()) {
      const [algorithm, ...others] =
        wish.algorithm === undefined ? (algorithms.get(wish.platformId) ?? []) : [wish.algorithm];
      if (algorithm !== undefined && others.length === 0) {
        additions.push(this.#addition(wish, algorithm));
        indices.push(index);
      } else faults.push({ index, ...algorithmFault(algorithms.get(wish.platformId)) });
    }
    // What is wrong with the others is told, too.
    const isRefused = faults.length > 0;
    const outcome = await this.#editor.addAccounts(additions, isRefused ? { ...options, dryRun: true } : options);
    if (!isRefused) return this.#withAddresses(outcome);
    const more = outcome.outcome === 'refused' ? outcome.faults : [];
    const all = [...faults, ...more.map((fault) => ({ ...fault, index: indices[fault.index] ?? fault.index }))];
    return { outcome: 'refused', faults: all.toSorted((left, right) => left.index - right.index) };
  }

  /**
   * Disables or enables an account, or all accounts that hold its key.
   * @throws EditRefusedError, CredentialLoadError
   */
  setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusReach = 'account',
  ): Promise<StatusChange> {
    return this.#editor.setStatus(platformId, accountId, status, reach);
  }

  /** Removes a disabled account and its key for good. @throws EditRefusedError, CredentialLoadError */
  removeAccount(platformId: string, accountId: string): Promise<void> {
    return this.#editor.removeAccount(platformId, accountId);
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

  #addition(wish: AccountWish, algorithm: Algorithm): AccountAddition {
    const { platformId, accountId, values, origin } = wish;
    const signer = this.#signers[algorithm];
    const draft = {
      platformId,
      accountId,
      alias: wish.alias ?? accountId,
      status: wish.status ?? 'active',
      environment: wish.environment ?? 'production',
      algorithm,
      createdAt: new Date(this.#clock.now()).toISOString(),
      ...(values === undefined ? {} : { values }),
    } as const;
    return {
      draft,
      origin,
      lengths: signer.privateKeyLengths,
      derivePublicKey: (privateKey) => {
        const identity = { platformId, accountId, algorithm };
        const { handle, publicKey } = admitKey(this.#keyStore, signer, identity, privateKey);
        this.#keyStore.discard(handle);
        return publicKey;
      },
    };
  }

  async #algorithmsByPlatform(): Promise<ReadonlyMap<string, readonly Algorithm[]>> {
    const { platforms } = await this.#editor.list();
    return new Map(platforms.map(({ platformId, algorithms }) => [platformId, algorithms]));
  }

  async #onlyAlgorithm(platformId: string): Promise<Algorithm> {
    const { platforms } = await this.#editor.list();
    const platform = platforms.find((known) => known.platformId === platformId);
    if (platform === undefined) {
      throw new EditRefusedError(
        `There is no platform ${JSON.stringify(platformId)}; add it first with \`signing-service platform add\`.`,
      );
    }
    const [algorithm, ...others] = platform.algorithms;
    if (algorithm !== undefined && others.length === 0) return algorithm;
    throw new EditRefusedError(
      `Platform ${JSON.stringify(platformId)} allows ${platform.algorithms.join(', ')}; name one of them with --algorithm.`,
    );
  }
}

/** Why the algorithm of an account that names none is not certain. */
function algorithmFault(algorithms: readonly Algorithm[] | undefined): Omit<AdditionFault, 'index'> {
  if (algorithms === undefined) return { field: 'platformId', message: UNKNOWN_PLATFORM };
  return { field: 'algorithm', message: `is needed: its platform allows ${algorithms.join(', ')}` };
}

function payloadRule({ format, rule, payload }: PlatformWish): PayloadRule {
  if (payload !== undefined) return completeRule(payload);
  const byFormat = DEFAULT_RULE_OF_FORMAT[format];
  return rule === undefined || rule === byFormat.rule ? byFormat : completeRule({ rule });
}
