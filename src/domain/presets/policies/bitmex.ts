import { requestBelow, requestIn, type VenuePolicies } from './venue-policy.ts';

/** BitMEX. */
export const BITMEX_POLICIES: VenuePolicies = {
  docs: [
    'https://www.bitmex.com/api/explorer/',
    'https://www.bitmex.com/app/apiKeysUsage',
    'https://www.bitmex.com/app/wsAPI',
    'https://github.com/BitMEX/api-connectors/blob/9f8f5e699732424b6fb0f70d25782c3accadcce2/swagger.json',
  ],
  tradeOnly: {
    when: requestIn(
      { methods: ['POST', 'PUT', 'DELETE'], paths: ['/api/v1/order'] },
      { methods: ['DELETE'], paths: ['/api/v1/order/all'] },
      { methods: ['POST'], paths: ['/api/v1/order/cancelAllAfter', '/api/v1/order/closePosition'] },
      {
        methods: ['GET'],
        paths: [
          '/api/v1/order',
          '/api/v1/position',
          '/api/v1/user/margin',
          '/api/v1/user/wallet',
          '/api/v1/user/commission',
          '/api/v1/user/quoteFillRatio',
          '/api/v1/user/quoteValueRatio',
          '/api/v1/user/tradingVolume',
          '/api/v1/user',
          '/api/v1/apiKey',
          '/api/v1/wallet/assets',
          '/realtime',
        ],
        prefixes: [
          '/api/v1/execution',
          '/api/v1/instrument',
          '/api/v1/orderBook',
          '/api/v1/quote',
          '/api/v1/trade',
          '/api/v1/funding',
          '/api/v1/settlement',
          '/api/v1/stats',
          '/api/v1/liquidation',
        ],
      },
    ),
  },
  noWithdrawals: {
    when: requestBelow('writes', [
      '/api/v1/user/requestWithdrawal',
      '/api/v1/user/confirmWithdrawal',
      '/api/v1/user/cancelWithdrawal',
      '/api/v1/user/walletTransfer',
      '/api/v1/user/addSubaccount',
      '/api/v1/user/updateSubaccount',
      '/api/v1/user/confirmEmail',
      '/api/v1/user/communicationToken',
      '/api/v1/user/logout',
      '/api/v1/user/preferences',
      '/api/v1/user/withdrawal',
      '/api/v1/user/unstakingRequests',
      '/api/v1/address',
      '/api/v1/guild',
    ]),
  },
  readOnly: { when: requestIn({ methods: ['GET'], prefixes: ['/api/v1'] }) },
};
