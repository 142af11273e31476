import sodium from 'sodium-native';
import { fixedLength, getKeyLengths, type SecretBytes } from '../../../domain/model/account.ts';
import { ALGORITHM_ROWS, type Algorithm, type KeyKind } from '../../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../../domain/model/errors.ts';
import { PASSPHRASE_VALUE } from '../../../domain/model/payload.ts';
import type { KeyToDecode } from '../../../key-helpers/key-formats.ts';
import type { FieldIssue, KeyMaking, KeyRequest, NewKey } from '../../../ports/credential-editor.ts';
import { type DecodedKeys, decodeKeys } from '../../key-helper/decode-keys.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import type { MasterKey } from '../keyring/master-key.ts';
import { sealKey } from '../sealed-key.ts';

/** Decoded in one run of the key helper. */
const KEYS_PER_RUN = 100;

/**
 * Reads, generates and seals keys, see `EditTools.makeKeys`.
 * @param masterKey seals the keys; undefined: they are only checked
 * @throws OperatorError if the key helper cannot be run; what `derivePublicKey` throws other than
 * InvalidPrivateKeyError
 */
export async function makeKeys(
  requests: readonly KeyRequest[],
  masterKey: MasterKey | undefined,
  onProgress: KeyMaking['onProgress'],
): Promise<readonly (NewKey | FieldIssue)[]> {
  const made: (NewKey | FieldIssue)[] = [];
  for (let start = 0; start < requests.length; start += KEYS_PER_RUN) {
    onProgress?.(start, requests.length);
    const some = requests.slice(start, start + KEYS_PER_RUN);
    const files = some.map(toKeysToDecode);
    const decoded = files.every(({ length }) => length === 0) ? null : await decodeKeys(files.flat());
    try {
      let place = 0;
      for (const [index, request] of some.entries()) {
        made.push(
          decoded === null || request.origin.keyFile === undefined
            ? generate(request, masterKey)
            : fromFile(request, decoded, place, masterKey),
        );
        place += files[index]?.length ?? 0;
      }
    } finally {
      decoded?.close();
    }
  }
  onProgress?.(requests.length, requests.length);
  return made;
}

/** The key file, and behind it the file of a passphrase: one line of visible ASCII. */
function toKeysToDecode({ account: { algorithm }, origin, secretDecoding }: KeyRequest): readonly KeyToDecode[] {
  const { keyFile, keyFormat, passwordFile, derivationPath, passphraseFile } = origin;
  if (keyFile === undefined) return [];
  const key = { file: keyFile, format: keyFormat, passwordFile, derivationPath, algorithm, secretDecoding };
  if (passphraseFile === undefined) return [key];
  return [key, { file: passphraseFile, format: 'utf8', algorithm: 'hmac-sha256', secretDecoding }];
}

function fromFile(
  request: KeyRequest,
  decoded: DecodedKeys,
  place: number,
  masterKey: MasterKey | undefined,
): NewKey | FieldIssue {
  const { signPassphrase } = request;
  const issue =
    findIssue(decoded, place) ??
    (signPassphrase === undefined ? null : findIssue(decoded, place + 1, 'passphraseFile'));
  if (issue !== null) return issue;
  return trySeal(request, masterKey, (use) =>
    decoded.use(place, (privateKey) => {
      const key = use(privateKey);
      if (signPassphrase === undefined) return key;
      return decoded.use(place + 1, (text) => ({
        ...key,
        values: { [PASSPHRASE_VALUE]: signPassphrase(privateKey, text) },
      }));
    }),
  );
}

/** A path without a file is not quoted: it may be the secret itself. */
function findIssue(decoded: DecodedKeys, place: number, field = 'keyFile'): FieldIssue | null {
  const found = decoded.problemOf(place);
  if (found === null) return null;
  const message = found.isMissing
    ? 'does not exist: give the path of a file, not the key itself'
    : `${found.file}: ${found.problem}`;
  return { field: found.in === 'passwordFile' ? 'passwordFile' : field, message };
}

/**
 * Any 32 bytes; for the Stark curve, whose order is 2^251 + 2^196 without the lower bits, fewer.
 */
const FIRST_BYTE: { readonly [Keys in KeyKind]?: number } = { stark: 0x07 };

/** Random bytes are invalid at most once in 2^32 times (P-256); more is a defect. */
const MAX_GENERATIONS = 16;

function generate(request: KeyRequest, masterKey: MasterKey | undefined): NewKey | FieldIssue {
  const { algorithm } = request.account;
  const length = fixedLength(getKeyLengths(algorithm));
  if (length === undefined) return { field: 'keyFile', message: describeMissing(algorithm) };
  if (masterKey === undefined) return { publicKey: undefined, key: undefined, values: {} };
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    const result = trySeal(request, masterKey, (use) =>
      withLockedBytes(length, (privateKey) => {
        sodium.randombytes_buf(privateKey);
        privateKey[0] = (privateKey[0] ?? 0) & (FIRST_BYTE[ALGORITHM_ROWS[algorithm].keys] ?? 0xff);
        return use(privateKey);
      }),
    );
    if (!('message' in result)) return result;
  }
  throw new Error(`No valid key after ${MAX_GENERATIONS} generations.`);
}

function describeMissing(algorithm: Algorithm): string {
  const required = `is required: a key for ${algorithm} cannot be generated`;
  return ALGORITHM_ROWS[algorithm].keys === 'rsa'
    ? `${required} here; create it with \`openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out FILE\`, and register its public key with the platform`
    : `${required}, because the platform issues it; save the secret to a file`;
}

/** Tests a key and seals it for its account; an invalid key is an issue. */
function trySeal(
  { account, origin, derivePublicKey }: KeyRequest,
  masterKey: MasterKey | undefined,
  withKey: (use: (privateKey: SecretBytes) => NewKey) => NewKey,
): NewKey | FieldIssue {
  try {
    return withKey((privateKey) => {
      const publicKey = derivePublicKey(privateKey);
      const sealed = masterKey && sealKey(masterKey, { ...account, publicKey }, privateKey);
      return { publicKey, key: sealed === undefined ? undefined : { sealed }, values: {} };
    });
  } catch (error) {
    if (!(error instanceof InvalidPrivateKeyError)) throw error;
    const reason = error.message.replace(/\.$/, '');
    return { field: 'keyFile', message: origin.keyFile === undefined ? reason : `${origin.keyFile}: ${reason}` };
  }
}
