import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileCredentialEditor } from '../../../../../src/adapters/driven/credential-source/file-credential-editor.ts';
import {
  FileCredentialSource,
  type FileCredentialSourceOptions,
} from '../../../../../src/adapters/driven/credential-source/file-credential-source.ts';
import { MasterKey } from '../../../../../src/adapters/driven/credential-source/master-key.ts';
import { type SealedKeyIdentity, sealKey } from '../../../../../src/adapters/driven/credential-source/sealed-key.ts';

/** A folder of its own with a master key, in which a test keeps credentials files. */
export class CredentialsWorkplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  readonly file = this.path('credentials.json');
  readonly masterKeyFile = this.path('master.key');
  #masterKey: MasterKey | undefined;

  constructor() {
    MasterKey.create(this.masterKeyFile);
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
    this.#masterKey ??= MasterKey.load(this.masterKeyFile);
    return sealKey(this.#masterKey, identity, privateKey);
  }

  source(options: Partial<FileCredentialSourceOptions> = {}): FileCredentialSource {
    const { file, masterKeyFile } = this;
    return new FileCredentialSource({ file, masterKeyFile, allowPlaintextKeys: false, production: false, ...options });
  }

  editor(): FileCredentialEditor {
    return new FileCredentialEditor({ file: this.file, masterKeyFile: this.masterKeyFile });
  }

  remove(): void {
    this.#masterKey?.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
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
