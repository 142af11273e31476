import type { PayloadOutcome } from '../model/payload.ts';
import type { TypedData } from '../model/typed-data.ts';
import { hexText } from './hex-text.ts';
import type { PayloadContext } from './payload-context.ts';
import { bytesPayload } from './payload-outcome.ts';

/** The 66 bytes that EIP-712 signs, as a payload whose text is their hex digits without `0x`. */
export function encodedTypedData(typedData: TypedData, context: PayloadContext): PayloadOutcome {
  const encoded = context.typedData.encode(typedData);
  if (!encoded.ok) return { ok: false, issue: encoded.issue };
  return bytesPayload({ bytes: encoded.bytes, text: hexText(encoded.bytes), encoding: 'hex' });
}
