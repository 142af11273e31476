import { targetBelow, type VenuePolicies } from './venue-policy.ts';

/** Phemex. */
export const PHEMEX_POLICIES: VenuePolicies = {
  docs: [
    'https://phemex-docs.github.io/',
    'https://github.com/phemex/phemex-api-docs/tree/2f54a9281e9fe1486bd21d619b6199e539c1877b',
  ],
  tradeOnly: {
    when: targetBelow([
      '/g-orders',
      '/orders',
      '/spot/orders',
      '/spot/wallets',
      '/g-accounts',
      '/accounts',
      '/api-data',
      '/exchange/order',
      '/exchange/spot/order',
      '/phemex-user/order',
      '/phemex-user/wallets/tradeAccountDetail',
    ]),
  },
  noWithdrawals: {
    when: targetBelow([
      '/phemex-withdraw/wallets/api/createWithdraw',
      '/phemex-withdraw/wallets/api/cancelWithdraw',
      '/exchange/wallets/createWithdraw',
      '/exchange/wallets/confirm',
      '/exchange/wallets/cancelWithdraw',
      '/exchange/wallets/transferOut',
      '/exchange/wallets/transferIn',
      '/exchange/margins',
      '/assets',
      '/uta-account',
      '/uta-funds',
      '/uta-exchanger',
    ]),
  },
  readOnly: {
    when: targetBelow([
      '/spot/orders/active',
      '/spot/wallets',
      '/exchange/order',
      '/exchange/spot/order',
      '/exchange/wallets/withdrawList',
      '/exchange/wallets/depositList',
      '/phemex-user/users/children',
      '/phemex-withdraw/wallets/api/withdrawHist',
      '/phemex-withdraw/wallets/api/asset/info',
      '/phemex-deposit/wallets/api/depositHist',
      '/phemex-deposit/wallets/api/chainCfg',
      '/g-accounts',
      '/accounts',
      '/api-data',
    ]),
  },
};
