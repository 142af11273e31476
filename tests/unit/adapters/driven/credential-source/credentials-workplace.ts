import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileCredentialEditor } from '../../../../../src/adapters/driven/credential-source/file-credential-editor.ts';
import {
  FileCredentialSource,
  type FileCredentialSourceOptions,
} from '../../../../../src/adapters/driven/credential-source/file-credential-source.ts';
import { MasterKey } from '../../../../../src/adapters/driven/credential-source/master-key/master-key.ts';
import { readMasterKeyFile } from '../../../../../src/adapters/driven/credential-source/master-key/master-key-file.ts';
import { MasterKeyKeeper } from '../../../../../src/adapters/driven/credential-source/master-key/master-key-keeper.ts';
import type { MasterKeyFiles } from '../../../../../src/adapters/driven/credential-source/master-key/master-key-pair.ts';
import {
  LEAST_PASSPHRASE_COST,
  wrapMasterKey,
} from '../../../../../src/adapters/driven/credential-source/master-key/wrapped-master-key.ts';
import { type SealedKeyIdentity, sealKey } from '../../../../../src/adapters/driven/credential-source/sealed-key.ts';
import type { PassphrasePrompt } from '../../../../../src/secure-memory/passphrase-prompt.ts';
import { createSecretFile } from '../../../../../src/secure-memory/secret-file.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';

/** A folder of its own with a master key, in which a test keeps credentials files. */
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

  /** Writes the credentials file: a text or bytes as they are, anything else as JSON. */
  write(content: unknown): void {
    const text =
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2);
    writeFileSync(this.file, text);
  }

  text(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** A test key sealed for an account under the master key that was here first. */
  seal(identity: SealedKeyIdentity, privateKey: Uint8Array): string {
    this.#masterKey ??= loadMasterKey(this.masterKeyFile);
    return sealKey(this.#masterKey, identity, privateKey);
  }

  /** Opens the two master key files; nobody is there to type a passphrase unless `prompt` is. */
  keeper(prompt: PassphrasePrompt = new TypedPassphrases()): MasterKeyKeeper {
    return new MasterKeyKeeper(this.masterKeyFiles, prompt);
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

/** Makes a file of a new master key, 32 raw bytes. */
export function createMasterKeyFile(file: string): void {
  const masterKey = MasterKey.generate();
  masterKey.use((key) => createSecretFile(file, key));
  masterKey.destroy();
}

/** Makes a file of a new master key that the passphrase opens, at the least cost that is accepted, and returns the key's id. */
export function createWrappedKeyFile(file: string, passphrase: string): string {
  const masterKey = MasterKey.generate();
  const text = wrapMasterKey(masterKey, Buffer.from(passphrase), LEAST_PASSPHRASE_COST);
  createSecretFile(file, Buffer.from(`${text}\n`));
  masterKey.destroy();
  return masterKey.id;
}

/** The key in a master key file without passphrase. */
export function loadMasterKey(file: string): MasterKey {
  const stored = readMasterKeyFile(file);
  if (stored.kind === 'plain') return stored.key;
  throw new Error('This master key has a passphrase.');
}

/** Gives each test of the surrounding suite a workplace of its own; the returned function names it. */
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

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => 'It should have been rejected.',
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(String(outcome));
}
