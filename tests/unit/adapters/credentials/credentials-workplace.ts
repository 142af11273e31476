import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileCredentialEditor } from '../../../../src/adapters/credentials/editor/file-credential-editor.ts';
import {
  FileCredentialSource,
  type FileCredentialSourceOptions,
} from '../../../../src/adapters/credentials/file-credential-source.ts';
import { wrapInEnvelope } from '../../../../src/adapters/credentials/master-key/envelope-source.ts';
import { MasterKey } from '../../../../src/adapters/credentials/master-key/master-key.ts';
import { readMasterKeyFile } from '../../../../src/adapters/credentials/master-key/master-key-file.ts';
import type { MasterKeyFiles } from '../../../../src/adapters/credentials/master-key/master-key-pair.ts';
import { MasterKeyStore } from '../../../../src/adapters/credentials/master-key/master-key-store.ts';
import {
  MIN_PASSPHRASE_COST,
  wrapMasterKey,
} from '../../../../src/adapters/credentials/master-key/wrapped-master-key.ts';
import { type SealedKeyIdentity, sealKey } from '../../../../src/adapters/credentials/sealed-key.ts';
import { createSecretFile } from '../../../../src/adapters/key-files/secret-file.ts';
import type { PassphrasePrompt } from '../../../../src/adapters/passphrase/passphrase-prompt.ts';
import { EditRefusedError } from '../../../../src/domain/model/errors.ts';
import type { AccountAddition, AddedAccount, CredentialEditor } from '../../../../src/ports/credential-editor.ts';
import type { WrappingKey } from '../../../../src/ports/master-key-source.ts';
import { LENGTH_32 } from '../../../doubles/credential-builder.ts';
import { TypedPassphrases } from '../../../doubles/typed-passphrases.ts';

/** A folder with a master key for credentials files. */
export class CredentialsWorkplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  readonly file = this.path('credentials.json');
  readonly masterKeyFile = this.path('master.key');
  readonly previousMasterKeyFile = `${this.masterKeyFile}.previous`;
  #masterKey: MasterKey | undefined;

  constructor() {
    createMasterKeyFile(this.masterKeyFile);
  }

  get masterKeyFiles(): MasterKeyFiles {
    return { primary: this.masterKeyFile, previous: this.previousMasterKeyFile };
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

  /** Seals a test key under the first master key. */
  seal(identity: SealedKeyIdentity, privateKey: Uint8Array): string {
    this.#masterKey ??= loadMasterKey(this.masterKeyFile);
    return sealKey(this.#masterKey, identity, privateKey);
  }

  /** The master key files' store; `prompt` answers nothing by default. */
  keeper(prompt: PassphrasePrompt = new TypedPassphrases()): MasterKeyStore {
    return new MasterKeyStore(this.masterKeyFiles, prompt);
  }

  source(options: Partial<FileCredentialSourceOptions> = {}): FileCredentialSource {
    const [file, masterKeys] = [this.file, options.masterKeys ?? this.keeper()];
    return new FileCredentialSource({ file, allowPlaintextKeys: false, production: false, ...options, masterKeys });
  }

  editor(masterKeys = this.keeper(), file = this.file): FileCredentialEditor {
    return new FileCredentialEditor({ file, masterKeys });
  }

  remove(): void {
    this.#masterKey?.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Writes a new master key, 32 raw bytes. */
export function createMasterKeyFile(file: string): void {
  const masterKey = MasterKey.generate();
  masterKey.use((key) => createSecretFile(file, key));
  masterKey.destroy();
}

/** Writes a wrapped master key at minimum cost and returns its id. */
export function createWrappedKeyFile(file: string, passphrase: string): string {
  const masterKey = MasterKey.generate();
  const text = wrapMasterKey(masterKey, Buffer.from(passphrase), MIN_PASSPHRASE_COST);
  createSecretFile(file, Buffer.from(`${text}\n`));
  masterKey.destroy();
  return masterKey.id;
}

/** Replaces a master key file by an envelope of a new key, and returns its id. */
export async function writeEnvelope(file: string, wrappingKey: WrappingKey): Promise<string> {
  const masterKey = MasterKey.generate();
  const protection = { source: 'vault-transit', wrappingKey: 'transit/k' } as const;
  writeFileSync(file, await wrapInEnvelope(masterKey, protection, async () => wrappingKey), { mode: 0o600 });
  masterKey.destroy();
  return masterKey.id;
}

/** The key in a plain master key file. */
export function loadMasterKey(file: string): MasterKey {
  const stored = readMasterKeyFile(file);
  if (stored.kind === 'plain') return stored.key;
  throw new Error('This master key has a passphrase.');
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

/** A new account, by default of ed25519 with a generated key. */
const ADDITION: AccountAddition = {
  draft: {
    ...{ platformId: 'alpha', accountId: 'main', alias: 'main', status: 'active', environment: 'production' },
    ...{ algorithm: 'ed25519', createdAt: '2026-11-20T00:00:00.000Z' },
  },
  origin: { kind: 'generate' },
  lengths: LENGTH_32,
  derivePublicKey: () => 'PublicKey',
};

/** Adds an account; a refusal is thrown as its issues. */
export async function addOne(editor: CredentialEditor, addition: Partial<AccountAddition> = {}): Promise<AddedAccount> {
  const outcome = await editor.addAccounts([{ ...ADDITION, ...addition }], { dryRun: false, skipExisting: false });
  if (outcome.outcome === 'refused') {
    throw new EditRefusedError(outcome.issues.map(({ field, message }) => `${field} ${message}`).join('; '));
  }
  const [account] = outcome.accounts;
  if (account) return account;
  throw new Error('No account was added.');
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
