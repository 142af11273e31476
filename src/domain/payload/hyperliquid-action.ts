import {
  findInJson,
  findReorderedMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPath,
  ownMember,
  withoutUndefined,
} from '../model/json.ts';
import type { HyperliquidRequest } from '../model/payload.ts';
import { decodeHex, encodeHex } from '../model/text/byte-encodings.ts';
import { messagePack } from './message-pack.ts';
import { fieldMessage, invalid, type PayloadContext, refuseIf } from './payload-outcome.ts';
import { readAs } from './rule-module.ts';
import { toSignedValue } from './signed/decode-json.ts';

/** An action as sent, with the values hashed with it. */
export type SentAction = Omit<HyperliquidRequest, 'multiSig'>;

const MEMBERS = ['action', 'nonce', 'vaultAddress', 'expiresAfter'];

/** UTF-16 code units of an action's JSON, hashed in one go; 1600 orders have some 200,000. */
const MAX_ACTION_LENGTH = 262_144;

const ADDRESS = /^0x[0-9A-Fa-f]{40}$/;

/** Whether a value is `0x` and 40 hex digits, in any letter case. */
export function isAddress(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && ADDRESS.test(value);
}

/**
 * How policies read an action. `vaultAddress` is empty and `expiresAfter` 0 where it has none;
 * `multiSigUser` and `outerSigner` are empty where it is no multi-sig action. Of a multi-sig
 * envelope, `action` is the action in it, so that one condition decides on an action under either
 * rule.
 */
export const HYPERLIQUID_FIELDS = readAs(
  {
    action: 'map<string, dyn>',
    nonce: 'int',
    vaultAddress: 'string',
    expiresAfter: 'int',
    multiSigUser: 'string',
    outerSigner: 'string',
  },
  ({ content }, { spellings }) => {
    if (content?.kind !== 'hyperliquid') return {};
    const { action, nonce, vaultAddress, expiresAfter, multiSig } = content.request;
    return withoutUndefined({
      action: toSignedValue(action, spellings),
      nonce: BigInt(nonce),
      vaultAddress: vaultAddress === null ? '' : `0x${encodeHex(vaultAddress)}`,
      expiresAfter: BigInt(expiresAfter ?? 0),
      multiSigUser: multiSig?.multiSigUser ?? '',
      outerSigner: multiSig?.outerSigner ?? '',
    });
  },
);

/**
 * Reads `{action, nonce}`, optionally with `vaultAddress` and `expiresAfter` (null: absent), and
 * rejects members other than these and `others`. Rejects actions that would hash differently at the
 * sender or the venue: reordered members, fractions, identifiers in upper case.
 */
export function readSentAction(data: JsonObject, others: readonly string[] = []): SentAction {
  const members = [...MEMBERS, ...others];
  const unknown = Object.keys(data).find((name) => !members.includes(name));
  if (unknown !== undefined) {
    return invalid(jsonPath('data', [unknown]), `is not signed by this rule; the fields are ${members.join(', ')}`);
  }
  const action = ownMember(data, 'action');
  if (!isJsonObject(action)) return invalid('data.action', fieldMessage(action, 'must be an object: the L1 action'));
  if (JSON.stringify(action).length > MAX_ACTION_LENGTH) {
    return invalid('data.action', `must not be longer than ${MAX_ACTION_LENGTH} characters of JSON`);
  }
  const issue = findReorderedMember('data.action', action, 'noText') ?? findInJson('data.action', action, inspect);
  refuseIf(issue);

  const nonce = ownMember(data, 'nonce');
  if (!isMilliseconds(nonce))
    return invalid('data.nonce', fieldMessage(nonce, 'must be an integer, the milliseconds since 1970'));
  const vault = ownMember(data, 'vaultAddress') ?? null;
  const vaultAddress = isAddress(vault) ? decodeHex(vault) : undefined;
  if (vault !== null && vaultAddress === undefined) {
    return invalid('data.vaultAddress', 'must be an address, 0x and 40 hex digits, or null or absent');
  }
  const expiresAfter = ownMember(data, 'expiresAfter') ?? null;
  if (expiresAfter !== null && !isMilliseconds(expiresAfter)) {
    return invalid('data.expiresAfter', 'must be an integer, the milliseconds since 1970, or null or absent');
  }
  return { action, nonce, vaultAddress: vaultAddress ?? null, expiresAfter };
}

const CLIENT_ORDER_ID = /^0x[0-9A-Fa-f]{32}$/;

function inspect(value: JsonValue): string | undefined {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return 'must be an integer; send decimals as strings without trailing zeros, such as "1670.1"';
  }
  if (typeof value !== 'string' || value === value.toLowerCase()) return undefined;
  if (!isAddress(value) && !CLIENT_ORDER_ID.test(value)) return undefined;
  return 'must have 0x and lowercase hex digits, as the venue hashes addresses and client order IDs';
}

function isMilliseconds(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * `0x` and the hex of keccak256 of MessagePack(content) ‖ nonce ‖ vault ‖ expiry, 32 bytes. Source:
 * hyperliquid-python-sdk, hyperliquid/utils/signing.py, `action_hash`.
 *
 * @param content what stands for the action: itself, or what a multi-sig makes of it
 * @example content `{"type": "dummy", "num": 100000000000}` and nonce 0 hash the 33 bytes
 *   82A474797065A564756D6D79A36E756DCF000000174876E800 and nine times 00
 */
export function hashAction(
  content: JsonValue,
  { nonce, vaultAddress, expiresAfter }: SentAction,
  { hasher }: PayloadContext,
): string {
  const packed = messagePack(content);
  const more = [
    ...toEightBytes(nonce),
    ...(vaultAddress === null ? [0] : [1, ...vaultAddress]),
    ...(expiresAfter === null ? [] : [0, ...toEightBytes(expiresAfter)]),
  ];
  const bytes = new Uint8Array(packed.length + more.length);
  bytes.set(packed);
  bytes.set(more, packed.length);
  return `0x${encodeHex(hasher.digest('keccak256', bytes))}`;
}

/** Big-endian. */
function toEightBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}
