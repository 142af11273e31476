import sodium from 'sodium-native';
import type { KeyHandle, SecretBytes } from '../../../domain/model/account.ts';
import type { SodiumKeyStore } from '../../vault/sodium-key-store.ts';

/** XChaCha20-Poly1305 key length. */
export const MASTER_KEY_LENGTH = 32;

const ID_DOMAIN = Buffer.from('signing-service/master-key-id/v1');
const ID_BYTES = 8;
const OWNER = { platformId: '', accountId: '', algorithm: null } as const;

/** Takes an opened master key: its 32 bytes are in locked memory, and wiped after the call. */
export type TakeMasterKey = (id: string, key: SecretBytes) => void;

/** Seals keys in the credentials file. The vault holds its 32 bytes, encrypted between uses. */
export class MasterKey {
  /** See {@link identifyMasterKey}. */
  readonly id: string;
  readonly #vault: SodiumKeyStore;
  readonly #handle: KeyHandle;

  private constructor(id: string, vault: SodiumKeyStore, handle: KeyHandle) {
    this.id = id;
    this.#vault = vault;
    this.#handle = handle;
  }

  /** Creates a key from what `write` puts into 32 zero bytes; none if it throws. */
  static fill(vault: SodiumKeyStore, write: (key: Buffer) => void): MasterKey {
    let id = '';
    const handle = vault.create(OWNER, MASTER_KEY_LENGTH, (key) => {
      write(key);
      id = identifyMasterKey(key);
    });
    return new MasterKey(id, vault, handle);
  }

  /** Creates a random key. */
  static generate(vault: SodiumKeyStore): MasterKey {
    return MasterKey.fill(vault, (key) => sodium.randombytes_buf(key));
  }

  /**
   * Passes the 32 bytes to a synchronous callback, which must not use the vault.
   * @throws KeyUnavailableError after `destroy` or the purge of the vault
   */
  use<Result>(action: (key: Buffer) => Result): Result {
    return this.#vault.use(this.#handle, action);
  }

  /** Idempotent. */
  destroy(): void {
    this.#vault.discard(this.#handle);
  }
}

/**
 * Key id that reveals nothing: first 16 hex digits of BLAKE2b-256 (RFC 7693), keyed with the master
 * key, of the ASCII text `signing-service/master-key-id/v1`.
 */
export function identifyMasterKey(key: SecretBytes): string {
  const digest = Buffer.alloc(32);
  sodium.crypto_generichash(digest, ID_DOMAIN, key);
  return digest.toString('hex', 0, ID_BYTES);
}
