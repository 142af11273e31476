import { requestBelow, requestIn, type VenuePolicies } from './venue-policy.ts';

/** Reads that trading needs. */
const TRADING_READS = [
  '/0/private/Balance',
  '/0/private/BalanceEx',
  '/0/private/TradeBalance',
  '/0/private/OpenOrders',
  '/0/private/ClosedOrders',
  '/0/private/QueryOrders',
  '/0/private/OrderAmends',
  '/0/private/TradesHistory',
  '/0/private/QueryTrades',
  '/0/private/OpenPositions',
  '/0/private/Ledgers',
  '/0/private/QueryLedgers',
  '/0/private/TradeVolume',
];

/** Kraken spot. */
export const KRAKEN_POLICIES: VenuePolicies = {
  docs: [
    'https://docs.kraken.com/api/docs/rest-api/',
    'https://docs.kraken.com/api/docs/guides/spot-rest-auth',
    'https://docs.kraken.com/api-reference/subaccounts/account-transfer.md',
    'https://docs.kraken.com/api/docs/rest-api/get-websockets-token',
  ],
  tradeOnly: {
    when: requestIn({
      paths: [
        '/0/private/AddOrder',
        '/0/private/AddOrderBatch',
        '/0/private/AmendOrder',
        '/0/private/EditOrder',
        '/0/private/CancelOrder',
        '/0/private/CancelOrderBatch',
        '/0/private/CancelAll',
        '/0/private/CancelAllOrdersAfter',
        '/0/private/GetWebSocketsToken',
        ...TRADING_READS,
      ],
    }),
  },
  noWithdrawals: {
    when: requestBelow('any', [
      '/0/private/AccountTransfer',
      '/0/private/CreateSubaccount',
      '/0/private/Earn/Allocate',
      '/0/private/Earn/Deallocate',
      '/0/private/WalletTransfer',
      '/0/private/Withdraw',
      '/0/private/WithdrawCancel',
    ]),
  },
  readOnly: {
    when: requestIn({
      paths: [
        ...TRADING_READS,
        '/0/private/CreditLines',
        '/0/private/DepositMethods',
        '/0/private/DepositStatus',
        '/0/private/WithdrawMethods',
        '/0/private/WithdrawAddresses',
        '/0/private/WithdrawInfo',
        '/0/private/WithdrawStatus',
        '/0/private/ExportStatus',
        '/0/private/RetrieveExport',
        '/0/private/Earn/AllocateStatus',
        '/0/private/Earn/DeallocateStatus',
        '/0/private/Earn/Strategies',
        '/0/private/Earn/Allocations',
        '/0/private/GetApiKeyInfo',
        '/0/private/ListWalletAccounts',
      ],
    }),
  },
};
