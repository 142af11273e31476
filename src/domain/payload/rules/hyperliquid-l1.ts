import type { JsonObject, JsonValue } from '../../model/json.ts';
import { accepted, type Outcome, refused } from '../../model/outcome.ts';
import type { HyperliquidRequest, Payload } from '../../model/payload.ts';
import type { HyperliquidL1Rule } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { decodeHex, encodeHex } from '../../model/text/byte-encodings.ts';
import { findInJson, findReorderedMember, isJsonObject, jsonPath, ownMember } from '../../model/text/json-path.ts';
import { encodeTypedData } from '../eip712.ts';
import { AGENT_TYPES, EXCHANGE_DOMAIN } from '../hyperliquid-agent.ts';
import { messagePack } from '../message-pack.ts';
import { fieldMessage, invalid, type PayloadContext } from '../payload-outcome.ts';

const MEMBERS = ['action', 'nonce', 'vaultAddress', 'expiresAfter'];

const ADDRESS = /^0x[0-9A-Fa-f]{40}$/;

/**
 * Reads `{action, nonce}`, optionally with `vaultAddress` and `expiresAfter` (null: absent), and
 * rejects other members. Rejects actions that would hash differently at the sender: reordered
 * members, fractions.
 */
function readHyperliquidRequest(data: JsonObject): Outcome<HyperliquidRequest, Issue> {
  const unknown = Object.keys(data).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return invalid(jsonPath('data', [unknown]), `is not signed by this rule; the fields are ${MEMBERS.join(', ')}`);
  }
  const action = ownMember(data, 'action');
  if (!isJsonObject(action)) return invalid('data.action', fieldMessage(action, 'must be an object: the L1 action'));
  const issue = findReorderedMember('data.action', action) ?? findInJson('data.action', action, findFraction);
  if (issue !== undefined) return refused(issue);

  const nonce = ownMember(data, 'nonce');
  if (!isMilliseconds(nonce))
    return invalid('data.nonce', fieldMessage(nonce, 'must be an integer, the milliseconds since 1970'));
  const vault = ownMember(data, 'vaultAddress') ?? null;
  const vaultAddress = typeof vault === 'string' && ADDRESS.test(vault) ? decodeHex(vault) : undefined;
  if (vault !== null && vaultAddress === undefined) {
    return invalid('data.vaultAddress', 'must be an address, 0x and 40 hex digits, or null or absent');
  }
  const expiresAfter = ownMember(data, 'expiresAfter') ?? null;
  if (expiresAfter !== null && !isMilliseconds(expiresAfter)) {
    return invalid('data.expiresAfter', 'must be an integer, the milliseconds since 1970, or null or absent');
  }
  return accepted({ action, nonce, vaultAddress: vaultAddress ?? null, expiresAfter });
}

function findFraction(value: JsonValue): string | undefined {
  if (typeof value !== 'number' || Number.isInteger(value)) return undefined;
  return 'must be an integer; send decimals as strings without trailing zeros, such as "1670.1"';
}

function isMilliseconds(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const SOURCES = { mainnet: 'a', testnet: 'b' } as const;

/**
 * Rule `hyperliquid-l1`: keccak256 of MessagePack(action) ‖ nonce ‖ vault ‖ expiry is the
 * connectionId of a phantom agent, encoded as EIP-712 typed data of the domain Exchange / 1 / 1337,
 * 66 bytes. Source: hyperliquid-python-sdk, hyperliquid/utils/signing.py, `action_hash` and
 * `l1_payload`.
 *
 * @example `{"action": {"type": "dummy", "num": 100000000000}, "nonce": 0}` hashes the 33 bytes
 *   82A474797065A564756D6D79A36E756DCF000000174876E800 and nine times 00
 */
export function hyperliquidL1Payload(
  data: JsonObject,
  rule: HyperliquidL1Rule,
  context: PayloadContext,
): Outcome<Payload, Issue> {
  const read = readHyperliquidRequest(data);
  if (!read.ok) return read;
  const connectionId = `0x${encodeHex(context.hasher.digest('keccak256', toHashedBytes(read.value)))}`;
  const message = { source: SOURCES[rule.network], connectionId };
  const agent = { domain: EXCHANGE_DOMAIN, types: AGENT_TYPES, primaryType: 'Agent', message };
  return encodeTypedData(agent, context, { kind: 'hyperliquid', request: read.value });
}

function toHashedBytes({ action, nonce, vaultAddress, expiresAfter }: HyperliquidRequest): Uint8Array {
  return Uint8Array.from([
    ...messagePack(action),
    ...toEightBytes(nonce),
    ...(vaultAddress === null ? [0] : [1, ...vaultAddress]),
    ...(expiresAfter === null ? [] : [0, ...toEightBytes(expiresAfter)]),
  ]);
}

/** Big-endian. */
function toEightBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}
