import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { PayloadRule } from '../../../../src/domain/model/payload.ts';
import type { SignedResult } from '../../../../src/domain/model/sign-request.ts';
import { makeSignDoc } from '../../../contracts/cosmos-sign-doc.ts';

/** A request that an algorithm can sign, and its rule. */
interface SignableData {
  readonly payload: PayloadRule;
  readonly data: JsonObject;
}

const ANY_MESSAGE: SignableData = { payload: { rule: 'jcs' }, data: { a: 1 } };

/** Requests of algorithms that do not sign just any message. */
const OF_RULES: { readonly [Name in Algorithm]?: SignableData } = {
  eip712: {
    payload: { rule: 'typed-data' },
    data: {
      domain: { name: 'Sample', version: '1', chainId: 1 },
      types: { Order: [{ name: 'symbol', type: 'string' }] },
      primaryType: 'Order',
      message: { symbol: 'ETH-USD' },
    },
  },
  'hyperliquid-l1': {
    payload: { rule: 'hyperliquid-l1', network: 'testnet' },
    data: { action: { type: 'noop' }, nonce: 1763628540123 },
  },
  starknet: {
    payload: { rule: 'starknet-typed-data' },
    data: {
      domain: { name: 'Sample', version: '1', chainId: '1' },
      types: {
        StarkNetDomain: ['name', 'version', 'chainId'].map((name) => ({ name, type: 'felt' })),
        Order: [{ name: 'symbol', type: 'felt' }],
      },
      primaryType: 'Order',
      message: { symbol: 'ETH-USD' },
    },
  },
  cosmos: {
    payload: { rule: 'cosmos-sign-doc' },
    data: { signDoc: makeSignDoc({ accountNumber: 2 }).toString('base64') },
  },
};

/** A valid request for an algorithm. */
export function signableBy(algorithm: Algorithm): SignableData {
  return OF_RULES[algorithm] ?? ANY_MESSAGE;
}

/** The signed bytes of a result. */
export function payloadBytes({ payload: { text, encoding } }: Pick<SignedResult, 'payload'>): Buffer {
  return Buffer.from(encoding === 'hex' ? text.replace(/^0x/, '') : text, encoding);
}
