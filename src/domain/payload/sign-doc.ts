import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { CosmosSignDoc, ProtobufMessage, ProtobufValue } from '../model/payload.ts';
import { type FieldSchema, type MessageSchema, ProtobufError, readProtobuf } from './protobuf-reader.ts';

const ANY: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'typeUrl', type: 'string' }],
  [2, { name: 'value', type: 'bytes' }],
]);

/** cosmos.base.v1beta1.Coin; `amount` is an integer in decimal digits. */
export const COIN: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'denom', type: 'string' }],
  [2, { name: 'amount', type: 'string' }],
]);

const TIMESTAMP: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'seconds', type: 'int64' }],
  [2, { name: 'nanos', type: 'enum' }],
]);

const TX_BODY: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'messages', type: ANY, repeated: true }],
  [2, { name: 'memo', type: 'string' }],
  [3, { name: 'timeoutHeight', type: 'uint64' }],
  [4, { name: 'unordered', type: 'bool' }],
  [5, { name: 'timeoutTimestamp', type: TIMESTAMP }],
  [1023, { name: 'extensionOptions', type: ANY, repeated: true }],
  [2047, { name: 'nonCriticalExtensionOptions', type: ANY, repeated: true }],
]);

/** `multi` is absent: keys with several signers don't sign this way. */
const MODE_INFO: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'single', type: new Map<number, FieldSchema>([[1, { name: 'mode', type: 'enum' }]]) }],
]);

const SIGNER_INFO: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'publicKey', type: ANY }],
  [2, { name: 'modeInfo', type: MODE_INFO }],
  [3, { name: 'sequence', type: 'uint64' }],
]);

const FEE: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'amount', type: COIN, repeated: true }],
  [2, { name: 'gasLimit', type: 'uint64' }],
  [3, { name: 'payer', type: 'string' }],
  [4, { name: 'granter', type: 'string' }],
]);

/** Without `tip`, which the Cosmos SDK removed. */
const AUTH_INFO: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'signerInfos', type: SIGNER_INFO, repeated: true }],
  [2, { name: 'fee', type: FEE }],
]);

const SIGN_DOC: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'bodyBytes', type: 'bytes' }],
  [2, { name: 'authInfoBytes', type: 'bytes' }],
  [3, { name: 'chainId', type: 'string' }],
  [4, { name: 'accountNumber', type: 'uint64' }],
]);

/** Printable ASCII without a space; CometBFT allows 50 bytes. */
export const CHAIN_ID_PATTERN = /^[\x21-\x7e]{1,50}$/;

const SIGN_MODE_DIRECT = 1n;

/**
 * Decodes the canonical bytes of a cosmos.tx.v1beta1.SignDoc with its TxBody and AuthInfo, for
 * SIGN_MODE_DIRECT. It has at least one message, a fee, and a signer that signs directly. Refused
 * with a clause that names the place.
 *
 * @see https://docs.cosmos.network/main/build/architecture/adr-020-protobuf-transaction-encoding
 */
export function readSignDoc(bytes: Uint8Array): Outcome<CosmosSignDoc, string> {
  try {
    return accepted(toSignDoc(readProtobuf(bytes, SIGN_DOC)));
  } catch (error) {
    if (error instanceof ProtobufError) return refused(error.message);
    throw error;
  }
}

function toSignDoc(fields: ProtobufMessage): CosmosSignDoc {
  const chainId = fields.get('chainId') as string;
  if (!CHAIN_ID_PATTERN.test(chainId)) throw new ProtobufError('chainId is not 1 to 50 printable ASCII characters');
  const body = readProtobuf(fields.get('bodyBytes') as Uint8Array, TX_BODY, 'bodyBytes');
  const authInfo = readProtobuf(fields.get('authInfoBytes') as Uint8Array, AUTH_INFO, 'authInfoBytes');
  assertTypeUrls(body);
  if (!authInfo.has('fee')) throw new ProtobufError('authInfoBytes.fee is missing');
  const signers = listMessages(authInfo.get('signerInfos'));
  if (!signers.some((signer) => getMode(signer) === SIGN_MODE_DIRECT)) {
    throw new ProtobufError('authInfoBytes.signerInfos has no signer with the mode SIGN_MODE_DIRECT');
  }
  return { chainId, accountNumber: fields.get('accountNumber') as bigint, body, authInfo };
}

function assertTypeUrls(body: ProtobufMessage): void {
  const messages = listMessages(body.get('messages'));
  if (messages.length === 0) throw new ProtobufError('bodyBytes.messages is empty');
  const at = messages.findIndex((message) => message.get('typeUrl') === '');
  if (at !== -1) throw new ProtobufError(`bodyBytes.messages[${at}].typeUrl is missing`);
}

function getMode(signer: ProtobufMessage): ProtobufValue | undefined {
  const modeInfo = signer.get('modeInfo') as ProtobufMessage | undefined;
  return (modeInfo?.get('single') as ProtobufMessage | undefined)?.get('mode');
}

/** The messages of a repeated field. */
export function listMessages(value: ProtobufValue | undefined): readonly ProtobufMessage[] {
  return (value ?? []) as readonly ProtobufMessage[];
}

/**
 * The bytes of the cosmos.tx.v1beta1.TxRaw that is broadcast: body and authInfo as in the SignDoc,
 * which begins with the same two fields, and one signature (field 3).
 * @param signDoc valid, with fewer than 2^28 bytes
 * @param signature 64 bytes
 */
export function encodeTxRaw(signDoc: Uint8Array, signature: Uint8Array): Uint8Array {
  let end = 0;
  for (const _ of ['bodyBytes', 'authInfoBytes']) {
    let length = 0;
    let shift = 0;
    let byte = 0x80;
    for (end += 1; byte >= 0x80; end += 1) {
      byte = signDoc[end] ?? 0;
      length += (byte & 0x7f) << shift;
      shift += 7;
    }
    end += length;
  }
  return Uint8Array.from([...signDoc.subarray(0, end), 0x1a, signature.length, ...signature]);
}
