import type { JsonObject, JsonValue } from '../../model/json.ts';
import { accepted, type Outcome } from '../../model/outcome.ts';
import type { HyperliquidMultiSig, Payload } from '../../model/payload.ts';
import type { HyperliquidMultiSigRule } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { isJsonObject, jsonPath, ownMember } from '../../model/text/json-path.ts';
import { encodeTypedData } from '../eip712.ts';
import { hashAction, readSentAction } from '../hyperliquid-action.ts';
import { USER_SIGNED_DOMAIN } from '../hyperliquid-agent.ts';
import { fieldMessage, invalid, type PayloadContext } from '../payload-outcome.ts';

const TYPE = 'HyperliquidTransaction:SendMultiSig';
const TYPES = {
  [TYPE]: [
    { name: 'hyperliquidChain', type: 'string' },
    { name: 'multiSigActionHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint64' },
  ],
};
const CHAINS = { mainnet: 'Mainnet', testnet: 'Testnet' } as const;

/** The venue hashes members in the order of its own types. */
const MEMBERS = ['type', 'signatureChainId', 'signatures', 'payload'];
const PAYLOAD_MEMBERS = ['multiSigUser', 'outerSigner', 'action'];
const SIGNATURE_MEMBERS = ['r', 's', 'v'];

const CHAIN_ID = /^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/;
const LOWERCASE_ADDRESS = /^0x[0-9a-f]{40}$/;
const TRIMMED = /^0x[1-9a-f][0-9a-f]{0,63}$/;

/** A `multiSig` action: what is hashed of it, and what it is for. */
interface Envelope {
  /** Without `type`. */
  readonly hashed: JsonObject;
  readonly signatureChainId: string;
  readonly multiSig: HyperliquidMultiSig;
  readonly action: JsonObject;
}

/** Reads a `multiSig` action; rejects what the venue would hash differently. */
function readEnvelope(given: JsonObject): Outcome<Envelope, Issue> {
  const { type, ...hashed } = given;
  if (type !== 'multiSig') return invalid('data.action.type', fieldMessage(type, 'must be multiSig'));
  if (!hasMembers(given, MEMBERS)) {
    return invalid('data.action', `must have the members ${MEMBERS.join(', ')}, in this order`);
  }
  const { signatureChainId, signatures } = hashed;
  if (typeof signatureChainId !== 'string' || !CHAIN_ID.test(signatureChainId)) {
    return invalid('data.action.signatureChainId', 'must be a chain ID in lowercase hex, such as 0x66eee');
  }
  if (!Array.isArray(signatures) || signatures.length === 0) {
    return invalid('data.action.signatures', 'must be an array with at least one signature');
  }
  const wrong = signatures.findIndex((signature: JsonValue) => !isInnerSignature(signature));
  if (wrong !== -1) {
    return invalid(
      jsonPath('data', ['action', 'signatures', wrong]),
      'must be {r, s, v} in this order: r and s in lowercase hex with 0x and without leading zeros, v 27 or 28',
    );
  }
  const payload = readPayload(ownMember(hashed, 'payload'));
  return payload.ok ? accepted({ hashed, signatureChainId, ...payload.value }) : payload;
}

function readPayload(payload: JsonValue | undefined): Outcome<Pick<Envelope, 'multiSig' | 'action'>, Issue> {
  if (!isJsonObject(payload) || !hasMembers(payload, PAYLOAD_MEMBERS)) {
    return invalid(
      'data.action.payload',
      `must be an object with the members ${PAYLOAD_MEMBERS.join(', ')}, in this order`,
    );
  }
  const { multiSigUser, outerSigner, action } = payload;
  if (!isLowercaseAddress(multiSigUser)) return invalid('data.action.payload.multiSigUser', ADDRESS_MESSAGE);
  if (!isLowercaseAddress(outerSigner)) return invalid('data.action.payload.outerSigner', ADDRESS_MESSAGE);
  if (!isJsonObject(action)) return invalid('data.action.payload.action', 'must be an object: the signed action');
  return accepted({ multiSig: { multiSigUser, outerSigner }, action });
}

const ADDRESS_MESSAGE = 'must be an address, 0x and 40 lowercase hex digits';

function isLowercaseAddress(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && LOWERCASE_ADDRESS.test(value);
}

/** The venue writes r and s as numbers, so that leading zeros change the hash. */
function isInnerSignature(value: JsonValue): boolean {
  if (!isJsonObject(value) || !hasMembers(value, SIGNATURE_MEMBERS)) return false;
  const { r, s, v } = value;
  return [r, s].every((half) => typeof half === 'string' && TRIMMED.test(half)) && (v === 27 || v === 28);
}

function hasMembers(object: JsonObject, names: readonly string[]): boolean {
  return Object.keys(object).join() === names.join();
}

/**
 * Rule `hyperliquid-multi-sig`: the outer signature of a `multiSig` action, which sends an action
 * with the signatures of authorized users. EIP-712 typed data `HyperliquidTransaction:SendMultiSig`
 * over the hash of the action without its `type`, 66 bytes; the domain's chainId is
 * `signatureChainId`. Source: hyperliquid-python-sdk, hyperliquid/utils/signing.py,
 * `sign_multi_sig_action`.
 */
export function hyperliquidMultiSigPayload(
  data: JsonObject,
  rule: HyperliquidMultiSigRule,
  context: PayloadContext,
): Outcome<Payload, Issue> {
  const read = readSentAction(data);
  if (!read.ok) return read;
  const envelope = readEnvelope(read.value.action);
  if (!envelope.ok) return envelope;
  const { hashed, signatureChainId, multiSig, action } = envelope.value;
  const message = {
    hyperliquidChain: CHAINS[rule.network],
    multiSigActionHash: hashAction(hashed, read.value, context),
    nonce: read.value.nonce,
  };
  const domain = { ...USER_SIGNED_DOMAIN, chainId: signatureChainId };
  const request = { ...read.value, action, multiSig };
  return encodeTypedData({ domain, types: TYPES, primaryType: TYPE, message }, context, {
    kind: 'hyperliquid',
    request,
  });
}
