import { Option } from 'commander';
import { OperatorError } from '../../../domain/model/errors.ts';
import {
  type MasterKeyProtection,
  WRAPPING_SOURCES,
  type WrappingSource,
} from '../../../domain/model/master-key-rotation.ts';
import type { Input } from '../inputs.ts';

/** Settings of the services and tokens that wrap master keys. */
export const SOURCE_SETTINGS = [
  'SIGNING_MASTER_KEY_TIMEOUT_MS',
  'SIGNING_MASTER_KEY_CA_FILE',
  'SIGNING_VAULT_ADDRESS',
  'SIGNING_VAULT_NAMESPACE',
  'SIGNING_VAULT_TOKEN_FILE',
  'SIGNING_VAULT_KUBERNETES_ROLE',
  'SIGNING_VAULT_KUBERNETES_MOUNT',
  'SIGNING_VAULT_KUBERNETES_TOKEN_FILE',
  'SIGNING_VAULT_APPROLE_ROLE_ID',
  'SIGNING_VAULT_APPROLE_SECRET_ID_FILE',
  'SIGNING_VAULT_APPROLE_MOUNT',
  'SIGNING_GCP_KMS_ENDPOINT',
  'SIGNING_GCP_TOKEN_FILE',
  'SIGNING_AWS_REGION',
  'SIGNING_AWS_KMS_ENDPOINT',
  'SIGNING_AWS_CREDENTIALS_FILE',
  'SIGNING_PKCS11_MODULE',
  'SIGNING_PKCS11_TOKEN',
  'SIGNING_PKCS11_PIN_FILE',
  'SIGNING_MASTER_KEY_HELPER',
] as const;

/** Note of commands that wrap a master key: which settings a source needs. */
export const SOURCE_NOTE =
  'vault-transit needs SIGNING_VAULT_ADDRESS, and SIGNING_VAULT_TOKEN_FILE, SIGNING_VAULT_KUBERNETES_ROLE, or SIGNING_VAULT_APPROLE_ROLE_ID with SIGNING_VAULT_APPROLE_SECRET_ID_FILE. pkcs11 needs SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE, helper SIGNING_MASTER_KEY_HELPER. aws-kms and gcp-kms also read the AWS_ and GOOGLE_ variables of their SDKs. Other settings of sources are optional. The service needs the same settings.';

/** Note of commands that open a master key to seal a key. */
export const WRAPPED_NOTE =
  'If a service or token wraps the master key, the settings of its source are needed as well: see master-key rotate --help.';

/** `--master-key-source` of commands that create a master key; they also have `--passphrase`. */
export function masterKeySourceOption(subject: string): Option & Input<'file' | WrappingSource | undefined> {
  const description = `where the key is that wraps ${subject}; file: it is not wrapped`;
  const option = new Option('--master-key-source <source>', description);
  return option.choices(['file', ...WRAPPING_SOURCES]).conflicts('passphrase');
}

/** `--wrapping-key` beside it. */
export function wrappingKeyOption(): Option & Input<string | undefined> {
  return new Option(
    '--wrapping-key <name>',
    'name of the wrapping key there: <mount>/<key>, projects/.../cryptoKeys/<key>, an ARN of AWS KMS, label of a PKCS #11 key, or a name that the helper knows',
  );
}

/**
 * The protection that the options select; null without them.
 * @throws OperatorError if they contradict each other
 */
export function toProtection({
  passphrase,
  masterKeySource: source,
  wrappingKey,
}: {
  readonly passphrase?: true | undefined;
  readonly masterKeySource?: 'file' | WrappingSource | undefined;
  readonly wrappingKey?: string | undefined;
}): MasterKeyProtection | null {
  const isWrapped = source !== undefined && source !== 'file';
  if (isWrapped && wrappingKey !== undefined) return { source, wrappingKey };
  if (isWrapped) throw new OperatorError(`--master-key-source ${source} needs --wrapping-key.`);
  if (wrappingKey !== undefined) {
    throw new OperatorError(`--wrapping-key needs --master-key-source ${WRAPPING_SOURCES.join(', ')}.`);
  }
  if (passphrase) return { source: 'passphrase' };
  return source === undefined ? null : { source };
}
