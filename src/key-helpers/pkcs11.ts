import { randomBytes } from 'node:crypto';
import { HelperProblem } from './helper-program.ts';
import { associatedData, describeError, importLibrary, readSecretLine, serveMasterKeys } from './serve-master-keys.ts';

/*
 * Wraps master keys with AES keys on a PKCS #11 token, by CKM_AES_GCM. Ciphertext: 12-byte random
 * IV, encrypted key, 16-byte tag; the master key's id is associated data.
 */

/** Settings of this helper. */
export interface Pkcs11Settings {
  /** Path of the PKCS #11 library. */
  readonly module: string;
  /** Label of the token. */
  readonly token: string;
  readonly pinFile: string;
}

/** The part of the class `PKCS11` of pkcs11js that is used. Handles are opaque buffers. */
interface Cryptoki {
  load(path: string): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(tokenPresent: boolean): readonly Buffer[];
  C_GetTokenInfo(slot: Buffer): { readonly label: string; readonly flags: number };
  C_OpenSession(slot: Buffer, flags: number): Buffer;
  C_Login(session: Buffer, userType: number, pin: string): void;
  C_Logout(session: Buffer): void;
  C_FindObjectsInit(session: Buffer, template: readonly object[]): void;
  C_FindObjects(session: Buffer, maxCount: number): readonly Buffer[];
  C_FindObjectsFinal(session: Buffer): void;
  C_GetAttributeValue(session: Buffer, key: Buffer, template: readonly object[]): readonly { readonly value: Buffer }[];
  C_EncryptInit(session: Buffer, mechanism: object, key: Buffer): void;
  C_Encrypt(session: Buffer, input: Buffer, output: Buffer): Buffer;
  C_DecryptInit(session: Buffer, mechanism: object, key: Buffer): void;
  C_Decrypt(session: Buffer, input: Buffer, output: Buffer): Buffer;
}

/** Numbers of pkcs11t.h (PKCS #11 2.40). */
const CK = {
  CKU_USER: 1,
  CKF_SERIAL_SESSION: 4,
  CKF_USER_PIN_FINAL_TRY: 0x2_0000,
  CKF_USER_PIN_LOCKED: 0x4_0000,
  CKO_SECRET_KEY: 4,
  CKA_CLASS: 0,
  CKA_LABEL: 3,
  CKA_ID: 0x102,
  CKA_SENSITIVE: 0x103,
  CKA_EXTRACTABLE: 0x162,
  CKM_AES_GCM: 0x1087,
} as const;

/** CK_PARAMS_AES_GCM_v240 of pkcs11js; with CK_PARAMS_AES_GCM, it leaves ulIvBits unset. */
const GCM_PARAMETERS = 7;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const ID_PREFIX = 'id:';

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

await serveMasterKeys(async ({ module, token, pinFile }: Pkcs11Settings) => {
  const { PKCS11 } = await importLibrary<{ readonly PKCS11: new () => Cryptoki }>(
    'pkcs11js',
    ' where Python 3, make and g++ can compile it',
  );
  const fail = (problem: string) => new HelperProblem(`PKCS #11 token ${token}: ${problem}`);
  const cryptoki = new PKCS11();

  /** Explains what the token refuses. */
  function explained<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      const code = error instanceof Error ? /^CKR_\w+/.exec(error.message)?.[0] : undefined;
      if (code === undefined) throw error;
      throw fail(`${REFUSALS[code] ?? 'it failed; see the log of the token or its service'} (${code})`);
    }
  }

  function findSlot(): Buffer {
    // Labels are padded with blanks.
    const labelOf = (slot: Buffer) => cryptoki.C_GetTokenInfo(slot).label.replaceAll('\0', ' ').trimEnd();
    const labels = cryptoki.C_GetSlotList(true).map((slot) => ({ slot, label: labelOf(slot) }));
    const [found, second] = labels.filter(({ label }) => label === token);
    if (second !== undefined) {
      throw fail('several tokens have this label; give each a different label (SIGNING_PKCS11_TOKEN)');
    }
    if (found !== undefined) return found.slot;
    const others = labels.map(({ label }) => JSON.stringify(label)).filter((label) => label !== '""');
    const present = others.length === 0 ? 'no token is present' : `present: ${others.join(', ')}`;
    throw fail(
      `the token was not found (${present}); connect it, or check SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_MODULE`,
    );
  }

  /** A service that is restarted with a wrong PIN must not use the try that locks the token. */
  function assertTriesLeft(slot: Buffer): void {
    const { flags } = cryptoki.C_GetTokenInfo(slot);
    if ((flags & CK.CKF_USER_PIN_LOCKED) !== 0) throw fail(PIN_LOCKED);
    if ((flags & CK.CKF_USER_PIN_FINAL_TRY) === 0) return;
    throw fail(
      'only one try for the PIN is left, so it was not tried; log in once with another tool and the right PIN, ' +
        'and write that PIN to the file of SIGNING_PKCS11_PIN_FILE',
    );
  }

  /** The one login of this process. */
  function logIn(): Buffer {
    try {
      cryptoki.load(module);
    } catch (error) {
      throw new HelperProblem(
        `SIGNING_PKCS11_MODULE: ${module} cannot be loaded as a PKCS #11 module (${describeError(error)}); ` +
          "set the path of the .so file of the token's vendor",
      );
    }
    cryptoki.C_Initialize();
    process.once('exit', () => quietly(() => cryptoki.C_Finalize()));
    const slot = findSlot();
    const opened = cryptoki.C_OpenSession(slot, CK.CKF_SERIAL_SESSION);
    assertTriesLeft(slot);
    cryptoki.C_Login(opened, CK.CKU_USER, readSecretLine('SIGNING_PKCS11_PIN_FILE', pinFile));
    process.prependOnceListener('exit', () => quietly(() => cryptoki.C_Logout(opened)));
    return opened;
  }

  const session = explained(logIn);

  function findKey(name: string): Buffer {
    const byName = name.startsWith(ID_PREFIX)
      ? { type: CK.CKA_ID, value: Buffer.from(name.slice(ID_PREFIX.length), 'hex') }
      : { type: CK.CKA_LABEL, value: name };
    cryptoki.C_FindObjectsInit(session, [{ type: CK.CKA_CLASS, value: CK.CKO_SECRET_KEY }, byName]);
    const [key, second] = cryptoki.C_FindObjects(session, 2);
    cryptoki.C_FindObjectsFinal(session);
    if (key === undefined) {
      throw fail(`it has no secret key ${name}; restore the key, or check the name of the wrapping key`);
    }
    if (second === undefined) return key;
    throw fail(`several secret keys are named ${name}; name the key by id:<CKA_ID in hexadecimal>`);
  }

  function assertProtected(name: string, key: Buffer): void {
    const types = [{ type: CK.CKA_SENSITIVE }, { type: CK.CKA_EXTRACTABLE }];
    const [sensitive, extractable] = cryptoki.C_GetAttributeValue(session, key, types);
    if (sensitive?.value[0] === 1 && extractable?.value[0] === 0) return;
    throw fail(`the key ${name} can leave the token; use a key with CKA_SENSITIVE true and CKA_EXTRACTABLE false`);
  }

  return {
    wrap: async (name, id, masterKey) =>
      explained(() => {
        const key = findKey(name);
        assertProtected(name, key);
        const iv = randomBytes(IV_LENGTH);
        cryptoki.C_EncryptInit(session, toMechanism(iv, id), key);
        return Buffer.concat([iv, cryptoki.C_Encrypt(session, masterKey, Buffer.alloc(masterKey.length + TAG_LENGTH))]);
      }),
    unwrap: async (name, id, ciphertext) =>
      explained(() => {
        const [iv, encrypted] = [ciphertext.subarray(0, IV_LENGTH), ciphertext.subarray(IV_LENGTH)];
        if (encrypted.length <= TAG_LENGTH) throw fail(REJECTED_CIPHERTEXT);
        cryptoki.C_DecryptInit(session, toMechanism(iv, id), findKey(name));
        return cryptoki.C_Decrypt(session, encrypted, Buffer.alloc(encrypted.length));
      }),
  };
});

function toMechanism(iv: Buffer, id: string): object {
  const parameter = {
    type: GCM_PARAMETERS,
    ...{ iv, ivBits: 8 * IV_LENGTH, aad: associatedData(id), tagBits: 8 * TAG_LENGTH },
  };
  return { mechanism: CK.CKM_AES_GCM, parameter };
}

/** A removed token fails at the end, too; the first error explains it. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {}
}
