import type { SignedPayload } from './signing-types.ts';

/** The bytes that a payload stands for; null where it stands for none. */
export function signedBytes({ payload, payloadEncoding }: SignedPayload): Buffer | null {
  if (payload === undefined) return null;
  if (payloadEncoding === undefined) return Buffer.from(payload, 'utf8');
  if (payloadEncoding !== 'hex' && payloadEncoding !== 'base64') return null;
  const bytes = Buffer.from(payload, payloadEncoding);
  return bytes.toString(payloadEncoding) === payload ? bytes : null;
}
