import type { CosmosSignDoc } from '../model/payload.ts';
import { type Outcome, refused } from '../model/refusal.ts';
import { decodeProtobuf, encodeProtobuf, type MessageSchema } from './protobuf.ts';

const ANY = {
  typeUrl: { number: 1, type: 'string' },
  value: { number: 2, type: 'bytes' },
} as const satisfies MessageSchema;

/** cosmos.base.v1beta1.Coin; `amount` is an integer in decimal digits. */
export const COIN = {
  denom: { number: 1, type: 'string' },
  amount: { number: 2, type: 'string' },
} as const satisfies MessageSchema;

const TIMESTAMP = {
  seconds: { number: 1, type: 'int64' },
  nanos: { number: 2, type: 'enum' },
} as const satisfies MessageSchema;

/** cosmos.tx.v1beta1.TxBody. */
export const TX_BODY = {
  messages: { number: 1, type: ANY, repeated: true },
  memo: { number: 2, type: 'string' },
  timeoutHeight: { number: 3, type: 'uint64' },
  unordered: { number: 4, type: 'bool' },
  timeoutTimestamp: { number: 5, type: TIMESTAMP },
  extensionOptions: { number: 1023, type: ANY, repeated: true },
  nonCriticalExtensionOptions: { number: 2047, type: ANY, repeated: true },
} as const satisfies MessageSchema;

/** `multi` is absent: keys with several signers don't sign this way. */
const MODE_INFO = {
  single: { number: 1, type: { mode: { number: 1, type: 'enum' } } },
} as const satisfies MessageSchema;

const SIGNER_INFO = {
  publicKey: { number: 1, type: ANY },
  modeInfo: { number: 2, type: MODE_INFO },
  sequence: { number: 3, type: 'uint64' },
} as const satisfies MessageSchema;

const FEE = {
  amount: { number: 1, type: COIN, repeated: true },
  gasLimit: { number: 2, type: 'uint64' },
  payer: { number: 3, type: 'string' },
  granter: { number: 4, type: 'string' },
} as const satisfies MessageSchema;

/** cosmos.tx.v1beta1.AuthInfo, without `tip`, which the Cosmos SDK removed. */
export const AUTH_INFO = {
  signerInfos: { number: 1, type: SIGNER_INFO, repeated: true },
  fee: { number: 2, type: FEE },
} as const satisfies MessageSchema;

const SIGN_DOC = {
  bodyBytes: { number: 1, type: 'bytes' },
  authInfoBytes: { number: 2, type: 'bytes' },
  chainId: { number: 3, type: 'string' },
  accountNumber: { number: 4, type: 'uint64' },
} as const satisfies MessageSchema;

const TX_RAW = {
  bodyBytes: { number: 1, type: 'bytes' },
  authInfoBytes: { number: 2, type: 'bytes' },
  signatures: { number: 3, type: 'bytes', repeated: true },
} as const satisfies MessageSchema;

/** Printable ASCII without a space; CometBFT allows 50 bytes. */
export const CHAIN_ID_PATTERN = /^[\x21-\x7e]{1,50}$/;

const SIGN_MODE_DIRECT = 1n;

/**
 * Decodes the canonical bytes of a cosmos.tx.v1beta1.SignDoc with canonical TxBody and AuthInfo,
 * for SIGN_MODE_DIRECT. It has at least one message, a fee, and a signer that signs directly.
 * Refused with a clause that names the place.
 *
 * @see https://docs.cosmos.network/main/build/architecture/adr-020-protobuf-transaction-encoding
 */
export function readSignDoc(bytes: Uint8Array): Outcome<CosmosSignDoc, string> {
  const signDoc = decodeProtobuf(SIGN_DOC, bytes);
  if (!signDoc.ok) return signDoc;
  const { chainId, bodyBytes, authInfoBytes } = signDoc.value;
  if (!CHAIN_ID_PATTERN.test(chainId)) return refused('chainId is not 1 to 50 printable ASCII characters');
  const body = decodeProtobuf(TX_BODY, bodyBytes, 'bodyBytes');
  if (!body.ok) return body;
  const authInfo = decodeProtobuf(AUTH_INFO, authInfoBytes, 'authInfoBytes');
  if (!authInfo.ok) return authInfo;
  const { messages } = body.value;
  if (messages.length === 0) return refused('bodyBytes.messages is empty');
  const at = messages.findIndex(({ typeUrl }) => typeUrl === '');
  if (at !== -1) return refused(`bodyBytes.messages[${at}].typeUrl is missing`);
  const { fee, signerInfos } = authInfo.value;
  if (fee === undefined) return refused('authInfoBytes.fee is missing');
  if (signerInfos.some(({ modeInfo }) => modeInfo?.single?.mode === SIGN_MODE_DIRECT)) return signDoc;
  return refused('authInfoBytes.signerInfos has no signer with the mode SIGN_MODE_DIRECT');
}

/**
 * The bytes of the cosmos.tx.v1beta1.TxRaw that is broadcast: what one account signed, and its
 * signature, 64 bytes r‖s.
 */
export function encodeTxRaw(
  { bodyBytes, authInfoBytes }: Pick<CosmosSignDoc, 'bodyBytes' | 'authInfoBytes'>,
  signature: Uint8Array,
): Uint8Array {
  return encodeProtobuf(TX_RAW, { bodyBytes, authInfoBytes, signatures: [signature] });
}
