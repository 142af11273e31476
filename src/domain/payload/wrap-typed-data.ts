import type { PayloadOutcome } from '../model/payload.ts';
import type { TypedDataWrap } from '../model/payload-rule.ts';
import type { PayloadContext } from './payload-context.ts';
import { encodedTypedData } from './typed-data-payload.ts';

/**
 * A text as the one string member of an EIP-712 message, as platforms have it signed that take a request's own text for typed data.
 *
 * @throws Error when the wrap itself is malformed, which a checked configuration never is
 */
export function wrapAsTypedData(text: string, wrap: TypedDataWrap, context: PayloadContext): PayloadOutcome {
  const { domain, primaryType, member } = wrap;
  const types = { [primaryType]: [{ name: member, type: 'string' }] };
  const outcome = encodedTypedData({ domain, types, primaryType, message: { [member]: text } }, context);
  if (outcome.ok) return outcome;
  const { path, message } = outcome.issue;
  throw new Error(`The rule's typedData can't be encoded: ${path} ${message}.`);
}
