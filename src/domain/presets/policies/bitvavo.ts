import { anyOf, requestBelow, requestIn, type VenuePolicies } from './venue-policy.ts';

/** Bitvavo. */
export const BITVAVO_POLICIES: VenuePolicies = {
  docs: [
    'https://docs.bitvavo.com/docs/rest-api/introduction/',
    'https://docs.bitvavo.com/docs/websocket-api/introduction/',
    'https://docs.bitvavo.com/llms-full.txt',
    'https://github.com/bitvavo/python-bitvavo-api/blob/27c0640e8e178c2e421d10fcde2aeb9af4707684/python_bitvavo_api/bitvavo.py',
  ],
  tradeOnly: {
    when: requestIn(
      { methods: ['POST', 'PUT', 'DELETE'], paths: ['/v2/order'] },
      { methods: ['DELETE'], paths: ['/v2/orders'] },
      { methods: ['POST'], paths: ['/v2/cancelOrdersAfter'] },
      {
        methods: ['GET'],
        paths: [
          '/v2/order',
          '/v2/orders',
          '/v2/ordersOpen',
          '/v2/trades',
          '/v2/balance',
          '/v2/account',
          '/v2/account/fees',
        ],
      },
    ),
  },
  noWithdrawals: {
    when: anyOf([
      requestBelow('writes', ['/v2/withdrawal', '/v2/crypto/withdrawal', '/v2/subaccounts', '/v2/institutional']),
      requestBelow('any', ['/v2/websocket']),
    ]),
  },
  readOnly: {
    when: requestIn({
      methods: ['GET'],
      paths: [
        '/v2/order',
        '/v2/orders',
        '/v2/ordersOpen',
        '/v2/trades',
        '/v2/balance',
        '/v2/stakingBalance',
        '/v2/account',
        '/v2/account/fees',
        '/v2/account/history',
        '/v2/depositHistory',
        '/v2/withdrawalHistory',
        '/v2/subaccounts',
      ],
    }),
  },
};
