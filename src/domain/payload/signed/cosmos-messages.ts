import type { MessageSchema } from '../protobuf.ts';
import { COIN } from '../sign-doc.ts';

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
export const COSMOS_MESSAGES: ReadonlyMap<string, MessageSchema> = new Map<string, MessageSchema>([
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
