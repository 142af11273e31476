import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import { assertPrivate, KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';
import type { AwsCredentials } from './aws-signature.ts';

const SETTING = 'SIGNING_AWS_CREDENTIALS_FILE';
const MAX_FILE_BYTES = 16 * 1024;
const [LINE_FEED, EQUALS] = [0x0a, 0x3d];
/** Space, tab and carriage return. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d];

/**
 * Copies the credentials of the profile `default` from a shared credentials file. Only static
 * keys, with or without a session token; other members are ignored.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 * @returns credentials that the caller wipes
 * @throws MasterKeyUnavailableError
 */
export function readAwsCredentialsFile(file: string): AwsCredentials {
  try {
    return withSecretFile(file, MAX_FILE_BYTES, (content, stats) => {
      assertPrivate(file, stats, 'the credentials');
      const values = readDefaultProfile(content);
      const [id, secret] = [values.get('aws_access_key_id'), values.get('aws_secret_access_key')];
      if (id === undefined || secret === undefined) {
        throw failure(
          `${file} has no aws_access_key_id and aws_secret_access_key in its profile [default]; add them (roles, SSO and credential_process are not supported)`,
        );
      }
      const token = values.get('aws_session_token');
      for (const value of [id, secret, ...(token ? [token] : [])]) {
        if (value.length === 0 || value.some((byte) => byte < 0x21 || byte > 0x7e)) {
          throw failure(`${file} has an empty value or one with white space in [default]; correct it`);
        }
      }
      return {
        accessKeyId: id.toString('latin1'),
        secretAccessKey: copyOf(secret),
        sessionToken: token === undefined ? null : copyOf(token),
      };
    });
  } catch (error) {
    if (error instanceof KeyFileError) throw failure(error.message, error);
    throw error;
  }
}

/** Members by name, as views of `content`. */
function readDefaultProfile(content: Buffer): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>();
  let isDefault = false;
  for (let start = 0; start < content.length; ) {
    const lineFeed = content.indexOf(LINE_FEED, start);
    const end = lineFeed === -1 ? content.length : lineFeed;
    const line = trim(content.subarray(start, end));
    start = end + 1;
    const equals = line.indexOf(EQUALS);
    if (line.at(0) === 0x5b) isDefault = line.equals(Buffer.from('[default]'));
    // Only the name becomes a string.
    else if (isDefault && equals !== -1) {
      values.set(trim(line.subarray(0, equals)).toString('latin1').toLowerCase(), trim(line.subarray(equals + 1)));
    }
  }
  return values;
}

function trim(text: Buffer): Buffer {
  let [start, end] = [0, text.length];
  while (start < end && BLANKS.includes(text.readUInt8(start))) start += 1;
  while (end > start && BLANKS.includes(text.readUInt8(end - 1))) end -= 1;
  return text.subarray(start, end);
}

/** Outside Node's pool of buffers. */
function copyOf(bytes: Buffer): Buffer {
  return Buffer.alloc(bytes.length).fill(bytes);
}

function failure(problem: string, cause?: unknown): MasterKeyUnavailableError {
  return new MasterKeyUnavailableError(`${SETTING}: ${problem}`, { cause });
}
