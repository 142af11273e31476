import type { CosmosSignDoc, SignedContent, SignedValue } from '../../model/payload.ts';
import { encodeBase64 } from '../../model/text/byte-encodings.ts';
import { decodeProtobuf, type MessageSchema, type ProtobufMessage, type ProtobufValue } from '../protobuf.ts';
import { AUTH_INFO, COIN, TX_BODY } from '../sign-doc.ts';
import { MAX_SIGNED_VALUES, toSignedInteger } from './signed-value.ts';

const SUBACCOUNT_ID: MessageSchema = {
  owner: { number: 1, type: 'string' },
  number: { number: 2, type: 'uint32' },
};

const ORDER_ID: MessageSchema = {
  subaccountId: { number: 1, type: SUBACCOUNT_ID },
  clientId: { number: 2, type: 'fixed32' },
  orderFlags: { number: 3, type: 'uint32' },
  clobPairId: { number: 4, type: 'uint32' },
};

/** Without TWAP and builder code parameters: such orders are not decoded. */
const ORDER: MessageSchema = {
  orderId: { number: 1, type: ORDER_ID },
  side: { number: 2, type: 'enum' },
  quantums: { number: 3, type: 'uint64' },
  subticks: { number: 4, type: 'uint64' },
  goodTilBlock: { number: 5, type: 'uint32', oneof: 'goodTil' },
  goodTilBlockTime: { number: 6, type: 'fixed32', oneof: 'goodTil' },
  timeInForce: { number: 7, type: 'enum' },
  reduceOnly: { number: 8, type: 'bool' },
  clientMetadata: { number: 9, type: 'uint32' },
  conditionType: { number: 10, type: 'enum' },
  conditionalOrderTriggerSubticks: { number: 11, type: 'uint64' },
};

/**
 * Message types that policies read, by type URL.
 *
 * @see https://github.com/dydxprotocol/v4-chain/tree/main/proto/dydxprotocol/clob
 * @see https://github.com/cosmos/cosmos-sdk/blob/main/proto/cosmos/bank/v1beta1/tx.proto
 */
const COSMOS_MESSAGES: ReadonlyMap<string, MessageSchema> = new Map<string, MessageSchema>([
  [
    '/cosmos.bank.v1beta1.MsgSend',
    {
      fromAddress: { number: 1, type: 'string' },
      toAddress: { number: 2, type: 'string' },
      amount: { number: 3, type: COIN, repeated: true },
    },
  ],
  ['/dydxprotocol.clob.MsgPlaceOrder', { order: { number: 1, type: ORDER } }],
  [
    '/dydxprotocol.clob.MsgCancelOrder',
    {
      orderId: { number: 1, type: ORDER_ID },
      goodTilBlock: { number: 2, type: 'uint32', oneof: 'goodTil' },
      goodTilBlockTime: { number: 3, type: 'fixed32', oneof: 'goodTil' },
    },
  ],
]);

/**
 * The signed fields of a Cosmos transaction: numbers as integers, bytes as base64, names in
 * lowerCamelCase. A message has `typeUrl` and `value`: its fields if {@link COSMOS_MESSAGES} has
 * its type and its bytes are canonical, otherwise base64. `sequence` only where one account signs.
 * Nothing for transactions of more than 4096 values.
 */
export function readSignDocFields({ chainId, accountNumber, bodyBytes, authInfoBytes }: CosmosSignDoc): SignedContent {
  const decoded = [decodeProtobuf(TX_BODY, bodyBytes), decodeProtobuf(AUTH_INFO, authInfoBytes)] as const;
  if (!decoded[0].ok || !decoded[1].ok) return {};
  const { messages, timeoutTimestamp: _, ...body } = decoded[0].value;
  const { signerInfos, fee = {} } = decoded[1].value;
  const values = new ValueReader();
  const read = (message: ProtobufMessage) =>
    Object.fromEntries(Object.entries(message).map(([name, value]) => [name, values.read(value)]));
  const content: SignedContent = {
    ...read({ chainId, accountNumber, ...body, fee }),
    messages: messages.map(({ typeUrl, value }) => {
      const schema = COSMOS_MESSAGES.get(typeUrl);
      const fields = schema && decodeProtobuf(schema, value);
      return values.read({ typeUrl, value: fields?.ok ? fields.value : value });
    }),
    signers: signerInfos.map(({ modeInfo: __, ...signer }) => values.read(signer)),
    ...(signerInfos.length === 1 ? read({ sequence: signerInfos[0]?.sequence }) : {}),
  };
  return values.isTooLarge ? {} : content;
}

/** Converts values and counts them. */
class ValueReader {
  #count = 0;

  get isTooLarge(): boolean {
    return this.#count > MAX_SIGNED_VALUES;
  }

  read(value: ProtobufValue | undefined): SignedValue {
    this.#count += 1;
    if (this.isTooLarge || value === undefined) return null;
    if (typeof value === 'bigint') return toSignedInteger(value);
    if (value instanceof Uint8Array) return encodeBase64(value);
    if (Array.isArray(value)) return value.map((item) => this.read(item));
    if (typeof value !== 'object') return value as string | boolean;
    return new Map(Object.entries(value).map(([name, field]) => [name, this.read(field)]));
  }
}
