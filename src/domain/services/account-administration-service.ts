import type { Clock } from '../../ports/clock.ts';
import type { CredentialEditor, CredentialListing, KeyOrigin } from '../../ports/credential-editor.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { AccountProfile, AccountStatus } from '../model/account.ts';
import type { Algorithm } from '../model/algorithm.ts';
import type { DataFormat } from '../model/data-format.ts';
import type { PayloadRuleName } from '../model/payload-rule.ts';
import type { Platform } from '../model/platform.ts';
import {
  DEFAULT_ALGORITHMS_OF_FORMAT,
  DEFAULT_RULE_OF_FORMAT,
  DEFAULT_RULE_OPTIONS,
} from '../model/platform-defaults.ts';
import type { SignatureEncoding } from '../model/signature-encoding.ts';
import { admitKey } from './key-admission.ts';

/** A platform as an operator asks for it; what is absent follows from the format. */
export interface PlatformWish {
  readonly platformId: string;
  readonly format: DataFormat;
  readonly algorithms?: readonly Algorithm[];
  readonly encoding?: SignatureEncoding;
  readonly rule?: PayloadRuleName;
  /** Paths of members whose values audit records show in clear (see `PlatformAudit`); absent: what the format shows. */
  readonly auditClear?: readonly string[];
}

/** An account as an operator asks for it. */
export interface AccountWish {
  readonly platformId: string;
  readonly accountId: string;
  readonly algorithm: Algorithm;
  /** Absent: the accountId. */
  readonly alias?: string;
  /** Absent: `production`. */
  readonly environment?: string;
  readonly origin: KeyOrigin;
}

/** What operators do to the configuration from the command line. A running service sees it at its next reload. */
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

  list(): Promise<CredentialListing> {
    return this.#editor.list();
  }

  /** Adds a platform, with its format's defaults filled in, and returns it. @throws EditRefusedError, CredentialLoadError */
  async addPlatform(wish: PlatformWish): Promise<Platform> {
    const { platformId, format, encoding, rule, auditClear } = wish;
    const platform: Platform = {
      platformId,
      format,
      algorithms: wish.algorithms ?? DEFAULT_ALGORITHMS_OF_FORMAT[format],
      ...(encoding === undefined ? {} : { encoding }),
      payload: payloadRule(format, rule),
      ...(auditClear === undefined ? {} : { audit: { clear: auditClear } }),
    };
    await this.#editor.addPlatform(platform);
    return platform;
  }

  /** Adds an account with a new or an imported key, tested before it is sealed. @throws EditRefusedError, CredentialLoadError */
  addAccount(wish: AccountWish): Promise<AccountProfile> {
    const { platformId, accountId, algorithm, origin } = wish;
    const signer = this.#signers[algorithm];
    const draft = {
      platformId,
      accountId,
      alias: wish.alias ?? accountId,
      status: 'active',
      environment: wish.environment ?? 'production',
      algorithm,
      createdAt: new Date(this.#clock.now()).toISOString(),
    } as const;
    return this.#editor.addAccount(draft, origin, signer.privateKeyLength, (privateKey) => {
      const { handle, publicKey } = admitKey(this.#keyStore, signer, { platformId, accountId, algorithm }, privateKey);
      this.#keyStore.discard(handle);
      return publicKey;
    });
  }

  /** Disables or enables an account. @throws EditRefusedError, CredentialLoadError */
  setStatus(platformId: string, accountId: string, status: AccountStatus): Promise<void> {
    return this.#editor.setStatus(platformId, accountId, status);
  }
}

function payloadRule(format: DataFormat, rule: PayloadRuleName | undefined): Platform['payload'] {
  const byFormat = DEFAULT_RULE_OF_FORMAT[format];
  return rule === undefined || rule === byFormat.rule ? byFormat : DEFAULT_RULE_OPTIONS[rule];
}
