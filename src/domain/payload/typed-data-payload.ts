import type { Issue } from '../model/issue.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { TypedDataWrap } from '../model/payload-rule.ts';
import type { TypedData } from '../model/typed-data.ts';
import { hexText } from './hex-text.ts';
import type { PayloadContext } from './payload-context.ts';
import { bytesPayload } from './payload-outcome.ts';

/** The 66 bytes that EIP-712 signs, as a payload whose text is their hex digits without `0x`. */
export function encodedTypedData(typedData: TypedData, context: PayloadContext): Outcome<Payload, Issue> {
  const encoded = context.typedData.encode(typedData);
  if (!encoded.ok) return encoded;
  return bytesPayload({ bytes: encoded.value, text: hexText(encoded.value), encoding: 'hex' });
}

/**
 * A text as the one string member of an EIP-712 message, as platforms have it signed that take a
 * request's own text for typed data.
 *
 * @throws Error when the wrap itself is malformed, which a checked configuration never is
 */
export function wrapAsTypedData(text: string, wrap: TypedDataWrap, context: PayloadContext): Outcome<Payload, Issue> {
  const { domain, primaryType, member } = wrap;
  const types = { [primaryType]: [{ name: member, type: 'string' }] };
  const outcome = encodedTypedData({ domain, types, primaryType, message: { [member]: text } }, context);
  if (outcome.ok) return outcome;
  const { path, message } = outcome.refusal;
  throw new Error(`The rule's typedData can't be encoded: ${path} ${message}.`);
}
