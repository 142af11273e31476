import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { HyperliquidL1Rule } from '../model/payload-rule.ts';
import { hexText } from './hex-text.ts';
import { AGENT_TYPES, EXCHANGE_DOMAIN } from './hyperliquid-agent.ts';
import { type HyperliquidRequest, readHyperliquidRequest } from './hyperliquid-request.ts';
import { messagePack } from './message-pack.ts';
import type { PayloadContext } from './payload-context.ts';
import { encodedTypedData } from './typed-data-payload.ts';

const SOURCES = { mainnet: 'a', testnet: 'b' } as const;

/**
 * Rule `hyperliquid-l1`: the keccak256 of MessagePack(action) ‖ nonce ‖ vault ‖ expiry is the connectionId of a phantom agent, and that is encoded as
 * EIP-712 typed data of the domain Exchange / 1 / 1337, 66 bytes. `data` is `{action, nonce}`, with `vaultAddress` and `expiresAfter` where the request has
 * them. Source: hyperliquid-python-sdk, hyperliquid/utils/signing.py, `action_hash` and `l1_payload`.
 *
 * @example `{"action": {"type": "dummy", "num": 100000000000}, "nonce": 0}` is hashed as the 33 bytes
 * 82A474797065A564756D6D79A36E756DCF000000174876E800 and nine times 00
 */
export function hyperliquidL1Payload(
  data: JsonObject,
  rule: HyperliquidL1Rule,
  context: PayloadContext,
): Outcome<Payload, Issue> {
  const read = readHyperliquidRequest(data);
  if (!read.ok) return read;
  const connectionId = `0x${hexText(context.hasher.digest('keccak256', hashedBytes(read.value)))}`;
  const message = { source: SOURCES[rule.network], connectionId };
  return encodedTypedData({ domain: EXCHANGE_DOMAIN, types: AGENT_TYPES, primaryType: 'Agent', message }, context);
}

function hashedBytes({ action, nonce, vaultAddress, expiresAfter }: HyperliquidRequest): Uint8Array {
  return Uint8Array.from([
    ...messagePack(action),
    ...eightBytes(nonce),
    ...(vaultAddress === null ? [0] : [1, ...vaultAddress]),
    ...(expiresAfter === null ? [] : [0, ...eightBytes(expiresAfter)]),
  ]);
}

/** Big-endian. */
function eightBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}
