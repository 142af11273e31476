import { expect } from 'chai';
import type { SignedValue } from '../../../../../src/domain/model/payload.ts';
import { readSignDoc } from '../../../../../src/domain/payload/sign-doc.ts';
import { readSignDocFields } from '../../../../../src/domain/payload/signed/read-sign-doc.ts';
import { bytesField, makeSignDoc, numberField, type SignDocSample } from '../../../../contracts/cosmos-sign-doc.ts';
import { COSMJS_VECTORS } from '../../../../vectors/cosmos/cosmjs.ts';

function fieldsOf(bytes: Uint8Array): { readonly [field: string]: unknown } {
  const read = readSignDoc(bytes);
  if (!read.ok) throw new Error(read.refusal);
  return Object.fromEntries(
    Object.entries(readSignDocFields(read.value)).map(([name, value]) => [name, toPlain(value)]),
  );
}

function toPlain(value: SignedValue): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, field]) => [name, toPlain(field)]));
  return value;
}

function messageValue(sample: SignDocSample): unknown {
  return (fieldsOf(makeSignDoc(sample))['messages'] as { readonly value: unknown }[])[0]?.value;
}

/** A fixed32 field with a value below 256. */
function fixed32(number: number, value: number): Buffer {
  return Buffer.of(number * 8 + 5, value, 0, 0, 0);
}

const ORDER_ID = Buffer.concat([
  bytesField(1, Buffer.concat([bytesField(1, Buffer.from('dydx1owner')), numberField(2, 3)])),
  fixed32(2, 7),
  numberField(4, 1),
]);
const ORDER = Buffer.concat([
  bytesField(1, ORDER_ID),
  numberField(2, 1),
  numberField(3, 10_000_000),
  numberField(4, 40_000_000_000),
  numberField(5, 54_321),
]);
const ORDER_ID_FIELDS = {
  subaccountId: { owner: 'dydx1owner', number: 3n },
  clientId: 7n,
  orderFlags: 0n,
  clobPairId: 1n,
};

describe('The signed fields of a Cosmos transaction', () => {
  it("are those of cosmjs's transfer", () => {
    expect(fieldsOf(Buffer.from(COSMJS_VECTORS[1].signBytes, 'hex'))).to.deep.equal({
      chainId: 'simd-testing',
      accountNumber: 1n,
      sequence: 1n,
      messages: [
        {
          typeUrl: '/cosmos.bank.v1beta1.MsgSend',
          value: {
            fromAddress: 'cosmos1pkptre7fdkl6gfrzlesjjvhxhlc3r4gmmk8rs6',
            toAddress: 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu',
            amount: [{ denom: 'ucosm', amount: '1234567' }],
          },
        },
      ],
      memo: '',
      timeoutHeight: 0n,
      unordered: false,
      extensionOptions: [],
      nonCriticalExtensionOptions: [],
      signers: [
        {
          publicKey: {
            typeUrl: '/cosmos.crypto.secp256k1.PubKey',
            value: 'CiEDTwQYHuujU5G4WGM6dlxKDBiWl7QNIWNU1QiQ01DHApA=',
          },
          sequence: 1n,
        },
      ],
      fee: { amount: [{ denom: 'ucosm', amount: '2000' }], gasLimit: 200_000n, payer: '', granter: '' },
    });
  });

  it('include those of an order and a cancel of dYdX', () => {
    const order = messageValue({ typeUrl: '/dydxprotocol.clob.MsgPlaceOrder', value: bytesField(1, ORDER) });
    expect(order).to.deep.equal({
      order: {
        orderId: ORDER_ID_FIELDS,
        side: 1n,
        quantums: 10_000_000n,
        subticks: 40_000_000_000n,
        goodTilBlock: 54_321n,
        goodTilBlockTime: 0n,
        timeInForce: 0n,
        reduceOnly: false,
        clientMetadata: 0n,
        conditionType: 0n,
        conditionalOrderTriggerSubticks: 0n,
      },
    });
    const cancel = Buffer.concat([bytesField(1, ORDER_ID), fixed32(3, 9)]);
    expect(messageValue({ typeUrl: '/dydxprotocol.clob.MsgCancelOrder', value: cancel })).to.deep.equal({
      orderId: ORDER_ID_FIELDS,
      goodTilBlock: 0n,
      goodTilBlockTime: 9n,
    });
  });

  it('have base64 for other messages, unknown fields, and both ends of an order', () => {
    const typeUrl = '/dydxprotocol.clob.MsgPlaceOrder';
    for (const sample of [
      { typeUrl: '/dydxprotocol.sending.MsgCreateTransfer', value: Buffer.of(1, 2, 3, 4) },
      { typeUrl, value: bytesField(1, Buffer.concat([ORDER, bytesField(13, Buffer.of(1))])) },
      { typeUrl, value: bytesField(1, Buffer.concat([ORDER, fixed32(6, 9)])) },
    ]) {
      expect(messageValue(sample)).to.equal(sample.value.toString('base64'));
    }
  });

  it('are absent for more values than policies read', () => {
    const coins = Buffer.concat(Array.from({ length: 3000 }, () => bytesField(3, bytesField(1, Buffer.from('a')))));
    expect(fieldsOf(makeSignDoc({ value: coins }))).to.deep.equal({});
  });
});
