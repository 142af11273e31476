import { oneOf, requestBelow, requestIn, type VenuePolicies } from './venue-policy.ts';

/** Gate API v4. */
export const GATE_POLICIES: VenuePolicies = {
  docs: [
    'https://www.gate.com/docs/developers/apiv4/en/',
    'https://github.com/gateio/gateapi-python/tree/744afea9ebf82f69445651cd8af382f5ca499328/docs',
    'https://github.com/tiagosiebler/gateio-api/blob/fe0d82c260c416c7b4e772c004b953d1c0125c42/src/RestClient.ts',
  ],
  tradeOnly: {
    when: requestIn(
      {
        methods: ['POST'],
        paths: [
          '/api/v4/spot/orders',
          '/api/v4/spot/batch_orders',
          '/api/v4/spot/amend_batch_orders',
          '/api/v4/spot/cancel_batch_orders',
          '/api/v4/spot/price_orders',
          '/api/v4/spot/countdown_cancel_all',
          '/api/v4/futures/btc/orders',
          '/api/v4/futures/btc/batch_orders',
          '/api/v4/futures/btc/batch_amend_orders',
          '/api/v4/futures/btc/batch_cancel_orders',
          '/api/v4/futures/btc/price_orders',
          '/api/v4/futures/btc/countdown_cancel_all',
          '/api/v4/futures/usdt/orders',
          '/api/v4/futures/usdt/batch_orders',
          '/api/v4/futures/usdt/batch_amend_orders',
          '/api/v4/futures/usdt/batch_cancel_orders',
          '/api/v4/futures/usdt/price_orders',
          '/api/v4/futures/usdt/countdown_cancel_all',
          '/api/v4/delivery/usdt/orders',
          '/api/v4/delivery/usdt/price_orders',
          '/api/v4/options/orders',
          '/api/v4/options/countdown_cancel_all',
        ],
      },
      { methods: ['PATCH', 'DELETE'], prefixes: ['/api/v4/spot/orders'] },
      {
        methods: ['DELETE'],
        prefixes: ['/api/v4/spot/price_orders', '/api/v4/delivery/usdt/orders', '/api/v4/delivery/usdt/price_orders'],
      },
      {
        methods: ['PUT', 'DELETE'],
        prefixes: [
          '/api/v4/futures/btc/orders',
          '/api/v4/futures/btc/price_orders',
          '/api/v4/futures/usdt/orders',
          '/api/v4/futures/usdt/price_orders',
          '/api/v4/options/orders',
        ],
      },
      {
        methods: ['GET'],
        paths: ['/api/v4/wallet/fee', '/api/v4/wallet/total_balance', '/api/v4/account/detail'],
        prefixes: [
          '/api/v4/spot',
          '/api/v4/futures',
          '/api/v4/delivery',
          '/api/v4/options',
          '/api/v4/margin',
          '/api/v4/unified/accounts',
        ],
      },
    ),
  },
  noWithdrawals: {
    when: requestBelow('writes', [
      '/api/v4/withdrawals',
      '/api/v4/wallet',
      '/api/v4/sub_accounts',
      '/api/v4/earn',
      '/api/v4/loan',
      '/api/v4/flash_swap',
      '/api/v4/margin/uni/loans',
      '/api/v4/margin/cross',
      '/api/v4/margin/auto_repay',
      '/api/v4/unified',
      '/api/v4/crossex',
      '/api/v4/p2p',
      '/api/v4/otc',
      '/api/v4/alpha',
      '/api/v4/tradfi/transactions',
      '/api/v4/tradfi/users',
      '/api/v4/rebate',
      '/api/v4/account',
    ]),
  },
  readOnly: {
    when: `${requestIn({ methods: ['GET'], prefixes: ['/api/v4'] })} && !(${oneOf('signed.path', ['/api/v4/wallet/deposit_address'])})`,
  },
};
