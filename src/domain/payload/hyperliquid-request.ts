import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { decodeHex } from './decode-bytes.ts';
import { findInJson } from './find-in-json.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { findReorderedMember } from './member-order.ts';
import { fieldMessage, invalid } from './payload-outcome.ts';

/** An L1 action of Hyperliquid with what is hashed beside it. */
export interface HyperliquidRequest {
  readonly action: JsonObject;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly nonce: number;
  /** The vault or sub-account that the action is for, 20 bytes; null: the account itself. */
  readonly vaultAddress: Uint8Array | null;
  /** Milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly expiresAfter: number | null;
}

const MEMBERS = ['action', 'nonce', 'vaultAddress', 'expiresAfter'];

const ADDRESS = /^0x[0-9A-Fa-f]{40}$/;

/**
 * Reads `{action, nonce}` with `vaultAddress` and `expiresAfter` where they are given, and nothing beside; null says that they are not. An action whose
 * hash would not be the one of the request that its sender writes is refused: members that lost their place, numbers that are no integers.
 */
export function readHyperliquidRequest(data: JsonObject): Outcome<HyperliquidRequest, Issue> {
  const unknown = Object.keys(data).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return invalid(jsonPath('data', [unknown]), `is not signed by this rule; its members are ${MEMBERS.join(', ')}`);
  }
  const action = ownMember(data, 'action');
  if (!isJsonObject(action)) return invalid('data.action', fieldMessage(action, 'must be an object, the L1 action'));
  const issue = findReorderedMember('data.action', action) ?? findInJson('data.action', action, fraction);
  if (issue !== undefined) return refused(issue);

  const nonce = ownMember(data, 'nonce');
  if (!isMilliseconds(nonce))
    return invalid('data.nonce', fieldMessage(nonce, 'must be an integer, milliseconds since 1970'));
  const vault = ownMember(data, 'vaultAddress') ?? null;
  const vaultAddress = typeof vault === 'string' && ADDRESS.test(vault) ? decodeHex(vault) : undefined;
  if (vault !== null && vaultAddress === undefined) {
    return invalid('data.vaultAddress', 'must be an address, 0x and 40 hex digits; null or absent where there is none');
  }
  const expiresAfter = ownMember(data, 'expiresAfter') ?? null;
  if (expiresAfter !== null && !isMilliseconds(expiresAfter)) {
    return invalid(
      'data.expiresAfter',
      'must be an integer, milliseconds since 1970; null or absent where there is none',
    );
  }
  return accepted({ action, nonce, vaultAddress: vaultAddress ?? null, expiresAfter });
}

function fraction(value: JsonValue): string | undefined {
  if (typeof value !== 'number' || Number.isInteger(value)) return undefined;
  return 'must be an integer; Hyperliquid has decimals as strings, such as "1670.1" without zeros at the end';
}

function isMilliseconds(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
