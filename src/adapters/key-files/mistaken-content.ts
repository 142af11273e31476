import { skipWhitespace } from './secret-text.ts';

const OPENING_BRACE = 0x7b;
const PEM_START = Buffer.from('-----BEGIN ');
const QUOTED_PEM_START = Buffer.from('"-----BEGIN ');
/** A backslash and the letter n: base64 has no backslash. */
const ESCAPED_LINE_FEED = Buffer.from('\\n');

/** Starts of PEM (RFC 7468 §5, §7 and §13, RFC 4716 §3.2) and of OpenSSH's lines. */
const STARTS_OF_PUBLIC_CONTENT: readonly (readonly [content: string, starts: readonly Buffer[]])[] = [
  ['a public key', pemStarts('PUBLIC KEY', 'RSA PUBLIC KEY', 'EC PUBLIC KEY')],
  ['a public key', ['---- BEGIN SSH2 PUBLIC KEY ----', 'ssh-', 'ecdsa-sha2-'].map((start) => Buffer.from(start))],
  ['a certificate', pemStarts('CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE')],
  ['a certificate request', pemStarts('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')],
];

/**
 * Recognizes content that is certainly no private key, but often given as one: a public key, a
 * certificate, or the JSON of a venue's API key. Reads `content` in place; makes no text of it.
 * @returns a clause about "it", the file: the mistake and the remedy; undefined for other content
 */
export function findMistakenContent(content: Buffer): string | undefined {
  const found = STARTS_OF_PUBLIC_CONTENT.find(([, starts]) => starts.some((start) => startsWith(content, start)));
  if (found !== undefined) return `it has ${found[0]}, but a private key is required; give the file of the private key`;
  if (content[skipWhitespace(content, 0)] === OPENING_BRACE && content.includes(QUOTED_PEM_START)) {
    return 'it is a JSON file with a PEM key in it; save only that key, without quotes and with a line break in place of each \\n (backslash and n)';
  }
  if (
    (startsWith(content, PEM_START) || startsWith(content, QUOTED_PEM_START)) &&
    content.includes(ESCAPED_LINE_FEED)
  ) {
    return `its PEM has the two characters \\n (backslash and n), as in JSON, in place of line breaks; replace them and remove quotes: sed -i 's/"//g; s/\\\\n$//; s/\\\\n/\\n/g' FILE`;
  }
  return undefined;
}

function pemStarts(...labels: readonly string[]): readonly Buffer[] {
  return labels.map((label) => Buffer.from(`-----BEGIN ${label}-----`));
}

function startsWith(content: Buffer, start: Buffer): boolean {
  return content.subarray(0, start.length).equals(start);
}
