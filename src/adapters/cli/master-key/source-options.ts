import { Option } from 'commander';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { type MasterKeyProtection, WRAPPING_SOURCES } from '../../../domain/model/master-key-rotation.ts';

/** `--master-key-source` of commands that create a master key. */
export function masterKeySourceOption(subject: string): Option {
  const description = `where the key is that wraps ${subject}; file: it is not wrapped`;
  return new Option('--master-key-source <source>', description).choices(['file', ...WRAPPING_SOURCES]);
}

/** `--wrapping-key` beside it. */
export function wrappingKeyOption(): Option {
  return new Option(
    '--wrapping-key <name>',
    'name of the wrapping key there: <mount>/<key>, projects/.../cryptoKeys/<key>, or an ARN of AWS KMS, or label of a PKCS #11 key',
  );
}

/**
 * The protection that the options select; undefined without them.
 * @throws EditRefusedError if they contradict each other
 */
export function toProtection(options: {
  readonly passphrase?: true | undefined;
  readonly masterKeySource?: MasterKeyProtection['source'];
  readonly wrappingKey?: string;
}): MasterKeyProtection | undefined {
  const { passphrase, masterKeySource: source, wrappingKey } = options;
  if (passphrase && source !== undefined) {
    throw new EditRefusedError('--passphrase and --master-key-source exclude each other; use one.');
  }
  if (source === undefined || source === 'file') {
    if (wrappingKey === undefined) return source && { source };
    throw new EditRefusedError(`--wrapping-key needs --master-key-source ${WRAPPING_SOURCES.join(', ')}.`);
  }
  if (wrappingKey === undefined) throw new EditRefusedError(`--master-key-source ${source} needs --wrapping-key.`);
  return { source, wrappingKey };
}
