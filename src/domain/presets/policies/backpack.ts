import { oneOf, type VenuePolicies } from './venue-policy.ts';

/** Reads that trading needs. */
const TRADING_READS = [
  'accountQuery',
  'balanceQuery',
  'collateralQuery',
  'positionQuery',
  'orderQuery',
  'orderQueryAll',
  'orderHistoryQueryAll',
  'fillHistoryQueryAll',
  'fundingHistoryQueryAll',
  'positionHistoryQueryAll',
  'settlementHistoryQueryAll',
  'maxOrderQuantity',
  'maxBorrowQuantity',
  'strategyQuery',
  'strategyQueryAll',
  'strategyHistoryQueryAll',
];

/** Backpack Exchange. */
export const BACKPACK_POLICIES: VenuePolicies = {
  docs: [
    'https://docs.backpack.exchange/',
    'https://docs.backpack.exchange/#section/Authentication/Signing-requests',
    'https://github.com/api-evangelist/backpack/blob/main/openapi/',
    'https://github.com/backpack-exchange/bpx-api-client/blob/dc5d8b1c170f97f5692ae0eb36a2dc83bf1b9620/client/src/lib.rs',
  ],
  tradeOnly: {
    when: oneOf('signed.instruction', [
      'orderExecute',
      'orderCancel',
      'orderCancelAll',
      ...TRADING_READS,
      'subscribe',
      'strategyCreate',
      'strategyCancel',
      'strategyCancelAll',
    ]),
  },
  noWithdrawals: {
    when: oneOf('signed.instruction', [
      'withdraw',
      'borrowLendExecute',
      'convertDust',
      'vaultMint',
      'vaultRedeemRequest',
      'vaultRedeemCancel',
      'issueTwoFactorToken',
      'accountUpdate',
    ]),
  },
  readOnly: {
    when: oneOf('signed.instruction', [
      ...TRADING_READS,
      'maxWithdrawalQuantity',
      'borrowLendPositionQuery',
      'borrowHistoryQueryAll',
      'borrowPositionHistoryQueryAll',
      'interestHistoryQueryAll',
      'dustHistoryQueryAll',
      'depositQueryAll',
      'depositAddressQuery',
      'withdrawalQueryAll',
      'rfqQuery',
      'rfqHistoryQueryAll',
      'quoteHistoryQueryAll',
      'rfqFillHistoryQueryAll',
      'quoteFillHistoryQueryAll',
      'vaultPendingRedeemsQuery',
      'vaultNavQuery',
      'vaultMintHistoryQueryAll',
      'vaultRedeemHistoryQueryAll',
      'subscribe',
    ]),
  },
};
