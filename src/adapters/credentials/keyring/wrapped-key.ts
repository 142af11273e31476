import { OperatorError } from '../../../domain/model/errors.ts';
import { WRAPPING_SOURCES, type WrappingSource } from '../../../domain/model/master-key-rotation.ts';
import type { WrappedKey, WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { identifyMasterKey, MASTER_KEY_LENGTH, type MasterKey, type TakeMasterKey } from './master-key.ts';

/** Forms of wrapping key names. */
const WRAPPING_KEY_NAMES: {
  readonly [Source in WrappingSource]: { readonly isName: (name: string) => boolean; readonly form: string };
} = {
  'vault-transit': { isName: isVaultName, form: '<mount>/<key>, such as transit/signing-service' },
  'gcp-kms': {
    isName: (name) =>
      /^projects\/[a-z0-9.:-]{1,100}\/locations\/[a-z0-9-]{1,63}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63}$/.test(
        name,
      ),
    form: 'projects/<project>/locations/<location>/keyRings/<key ring>/cryptoKeys/<key>',
  },
  'aws-kms': {
    isName: (name) =>
      [
        /^(?:arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,30}:\d{12}:)?alias\/[\w/-]{1,250}$/,
        /^(?:arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,30}:\d{12}:key\/)?(?:mrk-)?[0-9a-f-]{32,36}$/,
      ].some((pattern) => pattern.test(name)),
    form: 'the ARN of a key or alias, alias/<name> or a key id',
  },
  pkcs11: {
    isName: (name) => /^id:(?:[0-9a-f]{2}){1,32}$/.test(name) || /^[A-Za-z0-9][\w.-]{0,63}$/.test(name),
    form: '<label of the key>, or id:<its CKA_ID in lower-case hexadecimal>',
  },
  helper: {
    isName: (name) => /^[A-Za-z0-9][\w.:/@-]{0,255}$/.test(name),
    form: '1 to 256 letters, digits or . _ : / @ -, starting with a letter or digit',
  },
};

/** A mount path of one to eight parts, and the name of a key. */
function isVaultName(name: string): boolean {
  const parts = name.split('/');
  const key = parts.pop() ?? '';
  const isMount = parts.length >= 1 && parts.length <= 8 && parts.every((part) => /^[A-Za-z0-9][\w-]*$/.test(part));
  return isMount && /^[A-Za-z0-9][\w.-]{0,127}$/.test(key);
}

/** The form of a source's wrapping key names, if `name` does not have it; null if it does. */
function findWrappingKeyIssue(source: WrappingSource, name: string): string | null {
  const { isName, form } = WRAPPING_KEY_NAMES[source];
  return isName(name) ? null : form;
}

const START_PATTERN = /^([a-z0-9-]{6,13})\.v1\.([0-9a-f]{16})\.([\x21-\x7e]{3,1537})$/;

const CIPHERTEXT_PATTERN = /^[\w-]{1,1024}$/;

/** Parses the text of {@link wrapKey}; undefined for other text. */
export function parseWrappedKey(text: string): WrappedKey | undefined {
  const [, name, id = '', rest = ''] = START_PATTERN.exec(text) ?? [];
  // A wrapping key's name can contain dots, a ciphertext cannot.
  const end = rest.lastIndexOf('.');
  const [wrappingKey, encoded] = [rest.slice(0, Math.max(end, 0)), rest.slice(end + 1)];
  if (!CIPHERTEXT_PATTERN.test(encoded)) return undefined;
  const source = WRAPPING_SOURCES.find((known) => known === name);
  if (source === undefined || findWrappingKeyIssue(source, wrappingKey) !== null) return undefined;
  const ciphertext = Buffer.from(encoded, 'base64url');
  // Node's decoder ignores stray trailing bits.
  return ciphertext.toString('base64url') === encoded ? { source, id, wrappingKey, ciphertext } : undefined;
}

/**
 * Lets services and tokens decrypt master keys, and passes each on. One start of a helper opens all
 * keys of its source.
 * @returns for each key why it cannot be opened; null: it was passed on
 * @throws MemoryLockError
 */
export function unwrapKeys(
  keys: readonly WrappedKey[],
  wrappingKeys: WrappingKeys,
  take: TakeMasterKey = () => undefined,
): Promise<readonly (OperatorError | null)[]> {
  return wrappingKeys.unwrap(keys, (bytes, { source, id }) => {
    if (bytes.length !== MASTER_KEY_LENGTH) {
      return new OperatorError(
        `${source} decrypted master key ${id} to ${bytes.length} bytes instead of ${MASTER_KEY_LENGTH}; restore the file.`,
      );
    }
    if (identifyMasterKey(bytes) !== id) {
      return new OperatorError(
        `${source} decrypted master key ${id} to another master key; check the wrapping key, or restore the file.`,
      );
    }
    take(id, bytes);
    return null;
  });
}

/**
 * Lets a service or token encrypt a new master key.
 * @returns `<source>.v1.<master key id>.<wrapping key>.<ciphertext, unpadded base64url>`, tested to
 * open
 * @throws OperatorError if the wrapping key's name is malformed, a setting is missing
 * or the service refuses
 */
export async function wrapKey(
  masterKey: MasterKey,
  { source, wrappingKey }: Pick<WrappedKey, 'source' | 'wrappingKey'>,
  wrappingKeys: WrappingKeys,
): Promise<string> {
  const form = findWrappingKeyIssue(source, wrappingKey);
  if (form !== null) throw new OperatorError(`the wrapping key of ${source} must be named as ${form}.`);
  const place = { source, wrappingKey, id: masterKey.id };
  const ciphertext = await wrappingKeys.wrap(place, (use) => masterKey.use(use));
  const [issue] = await unwrapKeys([{ ...place, ciphertext }], wrappingKeys);
  if (issue) throw issue;
  return [source, 'v1', place.id, wrappingKey, Buffer.from(ciphertext).toString('base64url')].join('.');
}
