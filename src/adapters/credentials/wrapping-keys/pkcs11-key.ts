import { randomBytes } from 'node:crypto';
import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import type { LendSecret, WrappingKey } from '../../../ports/wrapping-key.ts';
import { assertPrivate, KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';
import { withoutFinalNewline } from '../../key-files/secret-text.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import { CK, type Cryptoki, type CryptokiAttribute, findReturnCode, type GcmMechanism } from './cryptoki.ts';

/** Where the token is, and its PIN. */
export interface Pkcs11Settings {
  /** Path of the PKCS #11 library. */
  readonly module: string;
  /** Label of the token. */
  readonly token: string;
  readonly pinFile: string;
}

const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const MAX_PIN_BYTES = 256;
const ID_PREFIX = 'id:';
/** CK_PARAMS_AES_GCM of pkcs11js: CK_GCM_PARAMS with ulIvBits, as in pkcs11t.h. */
const GCM_PARAMETERS = 3;

interface Session {
  readonly handle: Buffer;
  readonly key: Buffer;
}

/**
 * An AES key on a PKCS #11 token, used with CKM_AES_GCM. Ciphertext: 12-byte random IV, encrypted
 * key, 16-byte tag; the master key's id is associated data.
 *
 * Every operation loads the module, logs in once, and ends with C_Logout, C_CloseSession and
 * C_Finalize. A login is never repeated, since wrong PINs lock tokens. Blocks the process.
 */
export class Pkcs11Key implements WrappingKey {
  readonly #name: string;
  readonly #settings: Pkcs11Settings;
  readonly #create: () => Cryptoki;

  /**
   * @param name the key's label, or `id:` and its CKA_ID in hexadecimal
   * @param create makes a `PKCS11` of pkcs11js
   */
  constructor(name: string, settings: Pkcs11Settings, create: () => Cryptoki) {
    this.#name = name;
    this.#settings = settings;
    this.#create = create;
  }

  async wrap(masterKeyId: string, lend: LendSecret): Promise<Uint8Array> {
    const iv = randomBytes(IV_LENGTH);
    return this.#inSession((cryptoki, { handle, key }) => {
      this.#assertProtected(cryptoki, handle, key);
      cryptoki.C_EncryptInit(handle, toMechanism(iv, masterKeyId), key);
      return lend((secret) => {
        const output = Buffer.alloc(secret.length + TAG_LENGTH);
        const input = Buffer.from(secret.buffer, secret.byteOffset, secret.length);
        return Buffer.concat([iv, cryptoki.C_Encrypt(handle, input, output)]);
      });
    });
  }

  async unwrap<Result>(
    masterKeyId: string,
    ciphertext: Uint8Array,
    use: (masterKey: Uint8Array) => Result,
  ): Promise<Result> {
    const iv = Buffer.from(ciphertext.subarray(0, IV_LENGTH));
    const encrypted = Buffer.from(ciphertext.subarray(IV_LENGTH));
    if (encrypted.length <= TAG_LENGTH) throw this.#failure(REJECTED_CIPHERTEXT);
    return withLockedBytes(encrypted.length, (output) => {
      const { length } = this.#inSession((cryptoki, { handle, key }) => {
        cryptoki.C_DecryptInit(handle, toMechanism(iv, masterKeyId), key);
        return cryptoki.C_Decrypt(handle, encrypted, output);
      });
      return use(output.subarray(0, length));
    });
  }

  /** Runs `action` with the key, and ends the session and the module also if that throws. */
  #inSession<Result>(action: (cryptoki: Cryptoki, session: Session) => Result): Result {
    const cryptoki = this.#create();
    const { module, pinFile } = this.#settings;
    attempt(
      () => cryptoki.load(module),
      (error) => this.#loadFailure(error),
    );
    try {
      return this.#translated(() => {
        cryptoki.C_Initialize();
        try {
          const slot = this.#findSlot(cryptoki);
          const handle = cryptoki.C_OpenSession(slot, CK.CKF_SERIAL_SESSION);
          try {
            this.#assertTriesLeft(cryptoki, slot);
            cryptoki.C_Login(handle, CK.CKU_USER, readPin(pinFile));
            return action(cryptoki, { handle, key: this.#findKey(cryptoki, handle) });
          } finally {
            // A removed token fails here too; the first error explains it.
            quietly(() => cryptoki.C_Logout(handle));
            quietly(() => cryptoki.C_CloseSession(handle));
          }
        } finally {
          quietly(() => cryptoki.C_Finalize());
        }
      });
    } finally {
      quietly(() => cryptoki.close());
    }
  }

  #findSlot(cryptoki: Cryptoki): Buffer {
    const { token } = this.#settings;
    const labels = cryptoki.C_GetSlotList(true).map((slot) => ({ slot, label: labelOf(cryptoki, slot) }));
    const [found, second] = labels.filter(({ label }) => label === token);
    if (second !== undefined) {
      throw this.#failure('several tokens have this label; give each a different label (SIGNING_PKCS11_TOKEN)');
    }
    if (found !== undefined) return found.slot;
    const others = labels.map(({ label }) => JSON.stringify(label)).filter((label) => label !== '""');
    const present = others.length === 0 ? 'no token is present' : `present: ${others.join(', ')}`;
    throw this.#failure(
      `the token was not found (${present}); connect it, or check SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_MODULE`,
    );
  }

  /** A service that is restarted with a wrong PIN must not use the try that locks the token. */
  #assertTriesLeft(cryptoki: Cryptoki, slot: Buffer): void {
    const { flags } = cryptoki.C_GetTokenInfo(slot);
    if ((flags & CK.CKF_USER_PIN_LOCKED) !== 0) throw this.#failure(PIN_LOCKED);
    if ((flags & CK.CKF_USER_PIN_FINAL_TRY) === 0) return;
    throw this.#failure(
      'only one try for the PIN is left, so it was not tried; log in once with another tool and the right PIN, ' +
        'and write that PIN to the file of SIGNING_PKCS11_PIN_FILE',
    );
  }

  #findKey(cryptoki: Cryptoki, session: Buffer): Buffer {
    const name = this.#name;
    const byName: CryptokiAttribute = name.startsWith(ID_PREFIX)
      ? { type: CK.CKA_ID, value: Buffer.from(name.slice(ID_PREFIX.length), 'hex') }
      : { type: CK.CKA_LABEL, value: name };
    cryptoki.C_FindObjectsInit(session, [{ type: CK.CKA_CLASS, value: CK.CKO_SECRET_KEY }, byName]);
    const [key, second] = cryptoki.C_FindObjects(session, 2);
    cryptoki.C_FindObjectsFinal(session);
    if (key === undefined) {
      throw this.#failure(`it has no secret key ${name}; restore the key, or check the name of the wrapping key`);
    }
    if (second === undefined) return key;
    throw this.#failure(`several secret keys are named ${name}; name the key by id:<CKA_ID in hexadecimal>`);
  }

  #assertProtected(cryptoki: Cryptoki, session: Buffer, key: Buffer): void {
    const types = [{ type: CK.CKA_SENSITIVE }, { type: CK.CKA_EXTRACTABLE }];
    const [sensitive, extractable] = cryptoki.C_GetAttributeValue(session, key, types);
    if (sensitive?.value[0] === 1 && extractable?.value[0] === 0) return;
    throw this.#failure(
      `the key ${this.#name} can leave the token; use a key with CKA_SENSITIVE true and CKA_EXTRACTABLE false`,
    );
  }

  #translated<Result>(action: () => Result): Result {
    return attempt(action, (error) => {
      const code = findReturnCode(error);
      if (code === null) return error;
      return this.#failure(
        `${REFUSALS[code] ?? 'it failed; see the log of the token or its service'} (${code})`,
        error,
      );
    });
  }

  #loadFailure(error: unknown): Error {
    const { module } = this.#settings;
    // Dynamic linkers name the file and the reason; none of it is secret.
    const reason = error instanceof Error ? error.message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200) : '';
    return new MasterKeyUnavailableError(
      `SIGNING_PKCS11_MODULE: ${module} cannot be loaded as a PKCS #11 module (${reason}); ` +
        "set the path of the .so file of the token's vendor",
      { cause: error },
    );
  }

  #failure(problem: string, cause?: unknown): MasterKeyUnavailableError {
    return new MasterKeyUnavailableError(`PKCS #11 token ${this.#settings.token}: ${problem}`, { cause });
  }
}

const PIN_LOCKED = 'its PIN is locked; unlock it with the security officer PIN';
const REJECTED_CIPHERTEXT =
  'it rejected the ciphertext; check that the wrapping key is the one that wrapped it, and restore the master key file';
const REMOVED = 'it was removed or does not respond; connect it, then start this again';
const UNSUITABLE_KEY =
  'the key does not permit this; use an AES-256 key with CKA_ENCRYPT and CKA_DECRYPT true, made for AES-GCM';

const REFUSALS: { readonly [code: string]: string } = {
  CKR_PIN_INCORRECT:
    'the PIN is wrong and was tried once; correct the file of SIGNING_PKCS11_PIN_FILE before the next start, since each wrong try can lock the token',
  CKR_PIN_LEN_RANGE: 'the PIN has a wrong length; correct the file of SIGNING_PKCS11_PIN_FILE',
  CKR_PIN_INVALID: 'the PIN has invalid characters; correct the file of SIGNING_PKCS11_PIN_FILE',
  CKR_PIN_EXPIRED: 'its PIN is expired; set another PIN, and write it to the file of SIGNING_PKCS11_PIN_FILE',
  CKR_PIN_LOCKED: PIN_LOCKED,
  CKR_USER_PIN_NOT_INITIALIZED: 'it has no user PIN; set one with the tool of the token',
  CKR_MECHANISM_INVALID: 'it does not support AES-GCM (CKM_AES_GCM); use a token that does',
  CKR_MECHANISM_PARAM_INVALID:
    'it does not accept the parameters of AES-GCM (12-byte IV of the caller, 16-byte tag); use a token that does',
  CKR_KEY_TYPE_INCONSISTENT: UNSUITABLE_KEY,
  CKR_KEY_FUNCTION_NOT_PERMITTED: UNSUITABLE_KEY,
  CKR_KEY_SIZE_RANGE: UNSUITABLE_KEY,
  CKR_ENCRYPTED_DATA_INVALID: REJECTED_CIPHERTEXT,
  CKR_ENCRYPTED_DATA_LEN_RANGE: REJECTED_CIPHERTEXT,
  CKR_AEAD_DECRYPT_FAILED: REJECTED_CIPHERTEXT,
  // SoftHSM's code for a wrong tag.
  CKR_GENERAL_ERROR: `it failed, or ${REJECTED_CIPHERTEXT}`,
  CKR_DEVICE_REMOVED: REMOVED,
  CKR_DEVICE_ERROR: REMOVED,
  CKR_TOKEN_NOT_PRESENT: REMOVED,
  CKR_SESSION_HANDLE_INVALID: REMOVED,
};

function toMechanism(iv: Buffer, masterKeyId: string): GcmMechanism {
  const aad = Buffer.from(`signing-service/master-key/v1/${masterKeyId}`);
  const parameter = { type: GCM_PARAMETERS, iv, ivBits: 8 * IV_LENGTH, aad, tagBits: 8 * TAG_LENGTH };
  return { mechanism: CK.CKM_AES_GCM, parameter };
}

/** Labels are padded with blanks. */
function labelOf(cryptoki: Cryptoki, slot: Buffer): string {
  return cryptoki.C_GetTokenInfo(slot).label.replaceAll('\0', ' ').trimEnd();
}

/** The PIN as a string, which pkcs11js takes; the garbage collector frees it, unwiped. */
function readPin(file: string): string {
  try {
    return withSecretFile(file, MAX_PIN_BYTES, (content, stats) => {
      assertPrivate(file, stats, 'the PIN of the token');
      const pin = withoutFinalNewline(content);
      if (pin.length > 0 && pin.every((byte) => byte >= 0x20 && byte !== 0x7f)) return pin.toString('utf8');
      throw new MasterKeyUnavailableError(`SIGNING_PKCS11_PIN_FILE: ${file} is not one line; write only the PIN to it`);
    });
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new MasterKeyUnavailableError(`SIGNING_PKCS11_PIN_FILE: ${error.message}`, { cause: error });
  }
}

function attempt<Result>(action: () => Result, translate: (error: unknown) => unknown): Result {
  try {
    return action();
  } catch (error) {
    throw translate(error);
  }
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {}
}
