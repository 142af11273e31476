import { EditRefusedError, MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import type { WrappingSource } from '../../../domain/model/master-key-rotation.ts';
import type { MasterKeySource, WrappingKey } from '../../../ports/master-key-source.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import { copySecret } from '../../vault/secret-bytes.ts';
import { MASTER_KEY_LENGTH, MasterKey } from './master-key.ts';
import { findWrappingKeyIssue, formatEnvelope, type MasterKeyEnvelope } from './master-key-envelope.ts';

/**
 * Connects to a wrapping key.
 * @param wrappingKey a name that its source accepts
 * @throws MasterKeyUnavailableError naming a missing setting or package
 */
export type LoadWrappingKey = (source: WrappingSource, wrappingKey: string) => Promise<WrappingKey>;

/** The master key of an envelope, decrypted by the service or token that the envelope names. */
export class EnvelopeSource implements MasterKeySource {
  readonly #file: string;
  readonly #envelope: MasterKeyEnvelope;
  readonly #load: LoadWrappingKey;

  /** @param file of the envelope, for messages */
  constructor(file: string, envelope: MasterKeyEnvelope, load: LoadWrappingKey) {
    this.#file = file;
    this.#envelope = envelope;
    this.#load = load;
  }

  /** @throws KeyFileError naming the file and the reason; MemoryLockError */
  async open<Result>(use: (masterKey: Uint8Array) => Result): Promise<Result> {
    const masterKey = await this.#unwrap();
    try {
      return masterKey.use(use);
    } finally {
      masterKey.destroy();
    }
  }

  async #unwrap(): Promise<MasterKey> {
    try {
      return await unwrapEnvelope(this.#envelope, this.#load);
    } catch (error) {
      if (error instanceof MasterKeyUnavailableError) throw new KeyFileError(this.#file, error.message, error);
      throw error;
    }
  }
}

/** @throws MasterKeyUnavailableError, MemoryLockError */
async function unwrapEnvelope(
  { source, id, wrappingKey, ciphertext }: MasterKeyEnvelope,
  load: LoadWrappingKey,
): Promise<MasterKey> {
  const service = await load(source, wrappingKey);
  return service.unwrap(id, ciphertext, (bytes) => checked(source, id, bytes));
}

/** @throws MasterKeyUnavailableError */
function checked(source: WrappingSource, id: string, bytes: Uint8Array): MasterKey {
  if (bytes.length !== MASTER_KEY_LENGTH) {
    throw new MasterKeyUnavailableError(
      `${source} decrypted it to ${bytes.length} bytes, and a master key has ${MASTER_KEY_LENGTH}; restore the file`,
    );
  }
  const masterKey = MasterKey.fill((key) => copySecret(bytes, key));
  if (masterKey.id === id) return masterKey;
  masterKey.destroy();
  throw new MasterKeyUnavailableError(
    `${source} decrypted it to another master key than ${id}, which the file names; restore the file`,
  );
}

/**
 * Content of a master key file with an envelope, tested to open.
 * @throws EditRefusedError if the wrapping key's name is malformed, a setting is missing or the
 * service refuses; it names no file, since nothing was written. MemoryLockError
 */
export async function wrapInEnvelope(
  masterKey: MasterKey,
  { source, wrappingKey }: { readonly source: WrappingSource; readonly wrappingKey: string },
  load: LoadWrappingKey,
): Promise<Buffer> {
  const form = findWrappingKeyIssue(source, wrappingKey);
  if (form !== null) throw notWrapped(`the wrapping key of ${source} must be named as ${form}`);
  const { id } = masterKey;
  try {
    const service = await load(source, wrappingKey);
    const ciphertext = Buffer.from(await service.wrap(id, (use) => masterKey.use(use)));
    const envelope = { source, id, wrappingKey, ciphertext };
    (await unwrapEnvelope(envelope, load)).destroy();
    return Buffer.from(`${formatEnvelope(envelope)}\n`);
  } catch (error) {
    if (error instanceof MasterKeyUnavailableError) throw notWrapped(error.message, error);
    throw error;
  }
}

function notWrapped(reason: string, cause?: unknown): EditRefusedError {
  return new EditRefusedError(`A new master key cannot be wrapped: ${reason}. Nothing was changed.`, { cause });
}
