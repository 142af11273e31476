import { withLockedBytes } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { decodeBase64 } from './base64.ts';
import { MalformedSecretError, withoutFinalNewline } from './secret-text.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ENCRYPTED_LABEL = 'ENCRYPTED PRIVATE KEY';
const LEGACY_HEADER = Buffer.from('Proc-Type:');

/**
 * Accepted PEM labels: PKCS#8 (RFC 7468 §10), SEC1 (RFC 5915 §4), OpenSSL's parameters before it,
 * and OpenSSL's label of an RSAPrivateKey (RFC 8017 §A.1.2).
 */
const PEM_LABELS = ['PRIVATE KEY', 'EC PRIVATE KEY', 'EC PARAMETERS', 'RSA PRIVATE KEY'] as const;

/** See {@link PEM_LABELS}. */
export type PemLabel = (typeof PEM_LABELS)[number];

/**
 * Decodes the PEM block (RFC 7468) at the start of `text` into locked memory, passes it to `use`
 * with the rest, and wipes it. Lines end in LF or CRLF; spaces, empty lines, headers and encrypted
 * blocks are rejected.
 * @throws MalformedSecretError if there is no such block
 */
export function withPemBlock<Result>(
  text: Buffer,
  use: (label: PemLabel, der: Buffer, rest: Buffer) => Result,
): Result {
  if (beginsWith(text, beginLine(ENCRYPTED_LABEL))) throw encrypted();
  const label = PEM_LABELS.find((candidate) => beginsWith(text, beginLine(candidate)));
  if (label === undefined) {
    throw new MalformedSecretError('it does not begin with a PKCS#8 or SEC1 PEM block; export the key as PKCS#8 PEM');
  }
  const afterBegin = afterLineBreak(text.subarray(beginLine(label).length));
  if (beginsWith(afterBegin, LEGACY_HEADER)) throw encrypted();
  const bodyLength = afterBegin.indexOf(endLine(label));
  if (bodyLength < 0) throw new MalformedSecretError('its PEM block has no end line; the file may be truncated');
  const rest = afterBegin.subarray(bodyLength + endLine(label).length);

  return withLockedBytes(bodyLength + 1, (digits) => {
    const digitCount = joinLines(afterBegin.subarray(0, bodyLength), digits);
    return withLockedBytes(digitCount + 1, (der) => {
      const length = decodeBase64(digits.subarray(0, digitCount), der);
      return use(label, der.subarray(0, length), rest.length === 0 ? rest : afterLineBreak(rest));
    });
  });
}

/** Copies `body` without line breaks; returns the length. */
function joinLines(body: Buffer, output: Buffer): number {
  let count = 0;
  let remaining = body;
  while (remaining.length > 0) {
    const end = remaining.indexOf(LINE_FEED);
    if (end < 0) throw badLine();
    const line = withoutFinalNewline(remaining.subarray(0, end + 1));
    if (line.length === 0) throw badLine();
    count += copySecret(line, output.subarray(count));
    remaining = remaining.subarray(end + 1);
  }
  return count;
}

function afterLineBreak(text: Buffer): Buffer {
  if (text[0] === LINE_FEED) return text.subarray(1);
  if (text[0] === CARRIAGE_RETURN && text[1] === LINE_FEED) return text.subarray(2);
  throw badLine();
}

function beginsWith(text: Buffer, start: Buffer): boolean {
  return text.subarray(0, start.length).equals(start);
}

function beginLine(label: string): Buffer {
  return Buffer.from(`-----BEGIN ${label}-----`);
}

function endLine(label: string): Buffer {
  return Buffer.from(`-----END ${label}-----`);
}

function badLine(): MalformedSecretError {
  return new MalformedSecretError('its PEM block has an empty line, or a begin or end line with other text');
}

function encrypted(): MalformedSecretError {
  return new MalformedSecretError(
    'its key is encrypted with a password, which is not supported; decrypt it first: openssl pkey -in … -out …',
  );
}
