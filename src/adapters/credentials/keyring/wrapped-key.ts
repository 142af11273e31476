import { OperatorError } from '../../../domain/model/errors.ts';
import { WRAPPING_SOURCES, type WrappingSource } from '../../../domain/model/master-key-rotation.ts';
import type { WrappedKey, WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { identifyMasterKey, MASTER_KEY_LENGTH, type MasterKey, type TakeMasterKey } from './master-key.ts';

/** Names of wrapping keys; Vault's have a mount path of one to eight parts. */
const WRAPPING_KEY_NAMES: {
  readonly [Source in WrappingSource]: { readonly pattern: RegExp; readonly form: string };
} = {
  'vault-transit': {
    pattern: /^(?:[A-Za-z0-9][\w-]*\/){1,8}[A-Za-z0-9][\w.-]{0,127}$/,
    form: '<mount>/<key>, such as transit/signing-service',
  },
  'gcp-kms': {
    pattern:
      /^projects\/[a-z0-9.:-]{1,100}\/locations\/[a-z0-9-]{1,63}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63}$/,
    form: 'projects/<project>/locations/<location>/keyRings/<key ring>/cryptoKeys/<key>',
  },
  'aws-kms': {
    pattern:
      /^(?:(?:arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,30}:\d{12}:)?alias\/[\w/-]{1,250}|(?:arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,30}:\d{12}:key\/)?(?:mrk-)?[0-9a-f-]{32,36})$/,
    form: 'the ARN of a key or alias, alias/<name> or a key id',
  },
  pkcs11: {
    pattern: /^(?:id:(?:[0-9a-f]{2}){1,32}|[A-Za-z0-9][\w.-]{0,63})$/,
    form: '<label of the key>, or id:<its CKA_ID in lower-case hexadecimal>',
  },
  helper: {
    pattern: /^[A-Za-z0-9][\w.:/@-]{0,255}$/,
    form: '1 to 256 letters, digits or . _ : / @ -, starting with a letter or digit',
  },
};

/** A wrapping key's name can contain dots, a ciphertext cannot. */
const TEXT_PATTERN = /^([a-z0-9-]{6,13})\.v1\.([0-9a-f]{16})\.([\x21-\x7e]{1,512})\.([\w-]{1,1024})$/;

/** Parses the text of {@link wrapKey}; undefined for other text. */
export function parseWrappedKey(text: string): WrappedKey | undefined {
  const [, name, id = '', wrappingKey = '', ciphertext = ''] = TEXT_PATTERN.exec(text) ?? [];
  const source = WRAPPING_SOURCES.find((known) => known === name);
  const isValid = source !== undefined && WRAPPING_KEY_NAMES[source].pattern.test(wrappingKey);
  return isValid ? { source, id, wrappingKey, ciphertext } : undefined;
}

/**
 * Lets services and tokens decrypt master keys, and passes each on. One start of a helper opens all
 * keys of its source.
 * @returns for each key why it cannot be opened; null: it was passed on
 */
export function unwrapKeys(
  keys: readonly WrappedKey[],
  wrappingKeys: WrappingKeys,
  take: TakeMasterKey = () => undefined,
): Promise<readonly (OperatorError | null)[]> {
  return wrappingKeys.unwrap(keys, (bytes, { source, id }) => {
    if (bytes.length !== MASTER_KEY_LENGTH || identifyMasterKey(bytes) !== id) {
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
  const { pattern, form } = WRAPPING_KEY_NAMES[source];
  if (!pattern.test(wrappingKey)) throw new OperatorError(`the wrapping key of ${source} must be named as ${form}.`);
  const key = { source, wrappingKey, id: masterKey.id };
  const ciphertext = await wrappingKeys.wrap(key, (use) => masterKey.use(use));
  const [issue] = await unwrapKeys([{ ...key, ciphertext }], wrappingKeys);
  if (issue) throw issue;
  return [source, 'v1', key.id, wrappingKey, ciphertext].join('.');
}
