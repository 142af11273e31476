import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { TypedDataRule } from '../model/payload-rule.ts';
import { isOfExchange } from './hyperliquid-agent.ts';
import type { PayloadContext } from './payload-context.ts';
import { invalid } from './payload-outcome.ts';
import { findForeignDomain } from './typed-data-domain.ts';
import { encodedTypedData } from './typed-data-payload.ts';
import { readTypedData } from './typed-data-shape.ts';

/**
 * Rule `typed-data`: EIP-712 typed data as eth_signTypedData_v4 takes it. `data` is `{domain, types, primaryType, message}` and nothing beside; the bytes
 * are 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message), 66 of them. Where the platform's configuration names members of the domain, no other domain
 * is signed. That of Hyperliquid's L1 actions never is: they have an algorithm of their own.
 *
 * @example the mail of EIP-712's own example, domain "Ether Mail" / 1 / 1 / 0xCcCC…, signs
 * 1901, f2cee375…a912090f and c52c0ee5…7a274b371e, 66 bytes in all
 */
export function typedDataPayload(
  data: JsonObject,
  rule: TypedDataRule,
  context: PayloadContext,
): Outcome<Payload, Issue> {
  const read = readTypedData(data);
  if (!read.ok) return read;
  const issue = rule.domain && findForeignDomain(read.value.domain, rule.domain);
  if (issue !== undefined) return refused(issue);
  const encoded = encodedTypedData(read.value, context);
  if (!encoded.ok || !isOfExchange(encoded.value.bytes)) return encoded;
  return invalid('data.domain', "is that of Hyperliquid's L1 actions, which accounts of algorithm hyperliquid-l1 sign");
}
