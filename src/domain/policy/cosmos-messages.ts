import type { FieldSchema, MessageSchema } from '../payload/protobuf-reader.ts';
import { COIN } from '../payload/sign-doc.ts';

const SUBACCOUNT_ID: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'owner', type: 'string' }],
  [2, { name: 'number', type: 'uint32' }],
]);

const ORDER_ID: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'subaccountId', type: SUBACCOUNT_ID }],
  [2, { name: 'clientId', type: 'fixed32' }],
  [3, { name: 'orderFlags', type: 'uint32' }],
  [4, { name: 'clobPairId', type: 'uint32' }],
]);

/** Without TWAP and builder code parameters: such orders are not decoded. */
const ORDER: MessageSchema = new Map<number, FieldSchema>([
  [1, { name: 'orderId', type: ORDER_ID }],
  [2, { name: 'side', type: 'enum' }],
  [3, { name: 'quantums', type: 'uint64' }],
  [4, { name: 'subticks', type: 'uint64' }],
  [5, { name: 'goodTilBlock', type: 'uint32', oneof: 'goodTil' }],
  [6, { name: 'goodTilBlockTime', type: 'fixed32', oneof: 'goodTil' }],
  [7, { name: 'timeInForce', type: 'enum' }],
  [8, { name: 'reduceOnly', type: 'bool' }],
  [9, { name: 'clientMetadata', type: 'uint32' }],
  [10, { name: 'conditionType', type: 'enum' }],
  [11, { name: 'conditionalOrderTriggerSubticks', type: 'uint64' }],
]);

/**
 * Message types that policies read, by type URL.
 *
 * @see https://github.com/dydxprotocol/v4-chain/tree/main/proto/dydxprotocol/clob
 * @see https://github.com/cosmos/cosmos-sdk/blob/main/proto/cosmos/bank/v1beta1/tx.proto
 */
export const COSMOS_MESSAGES: ReadonlyMap<string, MessageSchema> = new Map<string, MessageSchema>([
  [
    '/cosmos.bank.v1beta1.MsgSend',
    new Map<number, FieldSchema>([
      [1, { name: 'fromAddress', type: 'string' }],
      [2, { name: 'toAddress', type: 'string' }],
      [3, { name: 'amount', type: COIN, repeated: true }],
    ]),
  ],
  ['/dydxprotocol.clob.MsgPlaceOrder', new Map<number, FieldSchema>([[1, { name: 'order', type: ORDER }]])],
  [
    '/dydxprotocol.clob.MsgCancelOrder',
    new Map<number, FieldSchema>([
      [1, { name: 'orderId', type: ORDER_ID }],
      [2, { name: 'goodTilBlock', type: 'uint32', oneof: 'goodTil' }],
      [3, { name: 'goodTilBlockTime', type: 'fixed32', oneof: 'goodTil' }],
    ]),
  ],
]);
