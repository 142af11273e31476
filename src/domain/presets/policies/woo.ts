import { requestBelow, requestIn, type VenuePolicies } from './venue-policy.ts';

/** WOO X REST v3. */
export const WOO_POLICIES: VenuePolicies = {
  docs: [
    'https://developer.woox.io/api-reference/guide',
    'https://docs.woox.io/',
    'https://github.com/kronosresearch/wootrade-documents',
  ],
  tradeOnly: {
    when: requestIn(
      {
        methods: ['POST', 'PUT', 'DELETE', 'GET'],
        paths: ['/v3/trade/order', '/v3/trade/algoOrder'],
        prefixes: ['/v3/algo'],
      },
      { methods: ['DELETE', 'GET'], paths: ['/v3/trade/orders', '/v3/trade/algoOrders'] },
      { methods: ['DELETE'], paths: ['/v3/trade/allOrders', '/v3/orders/pending'] },
      { methods: ['POST'], paths: ['/v3/trade/cancelAllAfter', '/v3/account/listenKey'] },
      {
        methods: ['GET'],
        paths: [
          '/v3/asset/balances',
          '/v3/account/info',
          '/v3/account/tokenConfig',
          '/v3/account/symbolConfig',
          '/v3/positions',
          '/v3/buypower',
        ],
        prefixes: ['/v3/trade', '/v3/futures'],
      },
      { methods: ['PUT'], prefixes: ['/v3/order'] },
    ),
  },
  noWithdrawals: {
    when: requestBelow('writes', [
      '/v3/asset',
      '/v3/spotMargin/interestRepay',
      '/v3/convert',
      '/v3/account/tradingMode',
      '/v3/account/subAccounts',
    ]),
  },
  readOnly: { when: requestIn({ methods: ['GET'], prefixes: ['/v3'] }) },
};
