import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileCredentialEditor } from '../../../../src/adapters/credentials/editor/file-credential-editor.ts';
import {
  FileCredentialSource,
  type FileCredentialSourceOptions,
} from '../../../../src/adapters/credentials/file-credential-source.ts';
import { Keyring } from '../../../../src/adapters/credentials/keyring/keyring.ts';
import { MasterKey } from '../../../../src/adapters/credentials/keyring/master-key.ts';
import {
  MIN_PASSPHRASE_COST,
  protectMasterKey,
} from '../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { readRing } from '../../../../src/adapters/credentials/keyring/ring-file.ts';
import { wrapKey } from '../../../../src/adapters/credentials/keyring/wrapped-key.ts';
import { type SealedKeyIdentity, sealKey } from '../../../../src/adapters/credentials/sealed-key.ts';
import { sha256Of } from '../../../../src/adapters/node/sha256.ts';
import type { PassphrasePrompt } from '../../../../src/adapters/passphrase/passphrase-prompt.ts';
import { SodiumKeyStore } from '../../../../src/adapters/vault/sodium-key-store.ts';
import { loadSigner } from '../../../../src/app/load-signer.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { AccountAdministrationService } from '../../../../src/domain/services/account-administration-service.ts';
import { ConfigurationAdministrationService } from '../../../../src/domain/services/configuration-administration-service.ts';
import type {
  CredentialEditor,
  KeyRequest,
  ListedAccount,
  WrittenAccount,
} from '../../../../src/ports/credential-editor.ts';
import type { WrappingKeys } from '../../../../src/ports/wrapping-keys.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { FixedWrappingKeys } from '../../../doubles/fixed-wrapping-keys.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { TypedPassphrases } from '../../../doubles/typed-passphrases.ts';

/** A folder with a keyring of one plain key for credentials files. */
export class CredentialsWorkplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  readonly file = this.path('credentials.json');
  readonly masterKeyFile = this.path('master.key');
  readonly vault = new SodiumKeyStore();
  /** The first master key of the start. */
  readonly masterKey: MasterKey;

  constructor() {
    createMasterKeyFile(this.masterKeyFile);
    this.masterKey = this.loadMasterKey();
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes the credentials file: text or bytes verbatim, otherwise JSON. */
  write(content: unknown): void {
    const text =
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2);
    writeFileSync(this.file, text);
  }

  text(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** The keyring's text. */
  ring(): string {
    return readFileSync(this.masterKeyFile, 'utf8');
  }

  /** Replaces the keyring. */
  writeRing(...lines: readonly string[]): void {
    writeFileSync(this.masterKeyFile, lines.map((line) => `${line.trimEnd()}\n`).join(''), { mode: 0o600 });
  }

  ids(): readonly string[] {
    return readRing(this.masterKeyFile).map(({ id }) => id);
  }

  /** Seals a test key under the first master key of the start. */
  seal(identity: SealedKeyIdentity, privateKey: Uint8Array): string {
    return sealKey(this.masterKey, identity, privateKey);
  }

  /** The first plain key of the ring. */
  loadMasterKey(): MasterKey {
    let loaded: MasterKey | undefined;
    readRing(this.masterKeyFile, (_, bytes) => {
      loaded ??= MasterKey.fill(this.vault, (key) => Buffer.from(bytes).copy(key));
    });
    if (loaded === undefined) throw new Error('This keyring has no plain key.');
    return loaded;
  }

  /** A line of a new key at minimum cost. */
  protectedLine(passphrase: string): string {
    return protectMasterKey(MasterKey.generate(this.vault), Buffer.from(passphrase), MIN_PASSPHRASE_COST);
  }

  /** A line of a new key. */
  wrappedLine(wrappingKeys: WrappingKeys): Promise<string> {
    const wrapping = { source: 'vault-transit', wrappingKey: 'transit/k' } as const;
    return wrapKey(MasterKey.generate(this.vault), wrapping, wrappingKeys);
  }

  /** The keyring; `prompt` answers nothing by default. */
  keyring(
    prompt: PassphrasePrompt = new TypedPassphrases(),
    wrappingKeys: WrappingKeys = new FixedWrappingKeys(),
  ): Keyring {
    const [file, vault] = [this.masterKeyFile, async () => this.vault];
    return new Keyring({ file, vault, prompt, wrappingKeys, cost: MIN_PASSPHRASE_COST });
  }

  source(options: Partial<FileCredentialSourceOptions> = {}): FileCredentialSource {
    const [file, keyring] = [this.file, options.keyring ?? this.keyring()];
    return new FileCredentialSource({ file, allowPlaintextKeys: false, production: false, ...options, keyring });
  }

  /** Changes entries of the credentials file other than accounts. */
  configuration(): ConfigurationAdministrationService {
    const ports = { editor: this.editor(), clock: new FixedClock(), compiler: policyCompiler() };
    return new ConfigurationAdministrationService(ports);
  }

  /** Changes accounts of the credentials file. */
  accounts(): AccountAdministrationService {
    const parts = { editor: this.editor(), keyStore: this.vault, clock: new FixedClock() };
    return new AccountAdministrationService({ ...parts, loadSigner, hasher: { sha256: sha256Of } });
  }

  editor(keyring = this.keyring(), file = this.file): FileCredentialEditor {
    return new FileCredentialEditor({ file, keyring });
  }

  remove(): void {
    this.vault.purge();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A line with a new plain key. */
export function plainLine(): string {
  return randomBytes(32).toString('hex');
}

/** Creates a keyring of a new plain key. */
export function createMasterKeyFile(file: string): void {
  writeFileSync(file, `${plainLine()}\n`, { mode: 0o600, flag: 'wx' });
}

/** A workplace for each test of the surrounding suite. */
export function useWorkplace(): () => CredentialsWorkplace {
  let workplace: CredentialsWorkplace | undefined;
  beforeEach(() => {
    workplace = new CredentialsWorkplace();
  });
  afterEach(() => workplace?.remove());
  return () => {
    if (workplace === undefined) throw new Error('There is a workplace only while a test runs.');
    return workplace;
  };
}

/** A new account without its key. */
export type AccountDraft = Omit<WrittenAccount, 'key'>;

/** An account to add. */
export interface AccountAddition extends Pick<KeyRequest, 'origin' | 'derivePublicKey'> {
  readonly draft: AccountDraft;
}

/** A new account, by default of ed25519 with a generated key. */
const ADDITION: AccountAddition = {
  draft: {
    ...{ platformId: 'alpha', accountId: 'main', alias: 'main', status: 'active', environment: 'production' },
    ...{ algorithm: 'ed25519', publicKey: undefined, createdAt: '2026-11-20T00:00:00.000Z' },
  },
  origin: {},
  derivePublicKey: () => 'PublicKey',
};

/** Adds an account as commands do. */
export async function addOne(editor: CredentialEditor, addition: Partial<AccountAddition> = {}): Promise<AccountDraft> {
  const { draft, ...making } = { ...ADDITION, ...addition };
  const { after } = await editor.edit(async (written, _, { findIssues, makeKeys }) => {
    const add = (entry: WrittenAccount) => ({ ...written, accounts: [...written.accounts, entry] });
    const issues = findIssues(add({ ...draft, key: { file: '-' } }));
    const request = { ...making, account: draft, secretDecoding: 'utf8' } as const;
    const [made] = await makeKeys([request], { seal: issues.length === 0 });
    const failed = made !== undefined && 'message' in made ? [...issues, made] : issues;
    if (failed.length > 0 || made === undefined || !('key' in made)) {
      throw new OperatorError(failed.map(({ field, message }) => `${field} ${message}`).join('; '));
    }
    return add({ ...draft, publicKey: made.publicKey, key: made.key ?? { file: '-' } });
  });
  const { key: _, ...added } = after.accounts.at(-1) as ListedAccount;
  return added as AccountDraft;
}

/** The rejection of a promise. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => 'It should have been rejected.',
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(String(outcome));
}
