import type { SignatureEncoding, SignatureForm } from '../algorithm.ts';

/** The encoding in which a signer writes a signature of this form. */
export function toSignerEncoding(form: SignatureForm): SignatureEncoding {
  return form === 'jws-compact' ? 'base64url' : form;
}

/**
 * The released text of a signature.
 * @param signature in {@link toSignerEncoding}
 * @param signedText the text of the signed payload
 */
export function toReleasedText(form: SignatureForm, signature: string, signedText: string): string {
  return form === 'jws-compact' ? `${signedText}.${signature}` : signature;
}

/** Inverse of {@link toReleasedText}; undefined for a token with other content. */
export function fromReleasedText(form: SignatureForm, released: string, signedText: string): string | undefined {
  if (form !== 'jws-compact') return released;
  return released.startsWith(`${signedText}.`) ? released.slice(signedText.length + 1) : undefined;
}
