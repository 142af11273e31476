/** Bytes of the authentication tag that ends the ciphertext (XChaCha20-Poly1305, draft-irtf-cfrg-xchacha-03). */
export const TAG_LENGTH = 16;

const VERSION = 'v1.';
const ID_DIGITS = 16;

/** 23 base64url digits are 1 byte and its tag, 1387 are 1024. */
const TEXT_PATTERN = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{32})\.([A-Za-z0-9_-]{23,1387})$/;

/** What the text of a sealed key, `v1.<id of the master key>.<nonce>.<ciphertext and tag>`, consists of. */
export interface SealedParts {
  /** 16 hex digits. */
  readonly masterKeyId: string;
  /** 24 bytes. */
  readonly nonce: Buffer;
  /** The key's bytes, encrypted, and the tag. */
  readonly ciphertext: Buffer;
}

/** The parts of a sealed key's text, or undefined when the text has another form. Whether it opens is another question. */
export function parseSealedKey(text: string): SealedParts | undefined {
  const [, masterKeyId, nonceText, ciphertextText] = TEXT_PATTERN.exec(text) ?? [];
  if (masterKeyId === undefined || nonceText === undefined || ciphertextText === undefined) return undefined;
  const nonce = Buffer.from(nonceText, 'base64url');
  const ciphertext = Buffer.from(ciphertextText, 'base64url');
  // Node's decoder ignores stray bits at the end, so that several texts could stand for the same bytes.
  if (ciphertext.toString('base64url') !== ciphertextText) return undefined;
  return { masterKeyId, nonce, ciphertext };
}

/** Whether a text has the form of a sealed key. */
export function isSealedKeyText(text: string): boolean {
  return parseSealedKey(text) !== undefined;
}

/** The id of the master key that a sealed key names, or undefined when the text is none. */
export function masterKeyIdOf(sealed: string): string | undefined {
  return parseSealedKey(sealed)?.masterKeyId;
}

/** The same of a text that was found to have the form: a large file has a hundred thousand of them. */
export function masterKeyIdOfSealed(sealed: string): string {
  return sealed.slice(VERSION.length, VERSION.length + ID_DIGITS);
}
