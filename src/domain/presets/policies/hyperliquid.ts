import { oneOf, type VenuePolicies } from './venue-policy.ts';

const TRADING = [
  'order',
  'modify',
  'batchModify',
  'twapOrder',
  'cancel',
  'cancelByCloid',
  'twapCancel',
  'scheduleCancel',
  'noop',
];

/** Actions on leverage and margin of a position. */
const LEVERAGE = ['updateLeverage', 'updateIsolatedMargin', 'topUpIsolatedOnlyMargin'];

const NO_TRADING = [
  'agentSendAsset',
  'vaultTransfer',
  'subAccountTransfer',
  'subAccountSpotTransfer',
  'createSubAccount',
  'subAccountModify',
  'createVault',
  'vaultModify',
  'vaultDistribute',
  'hip3LiquidatorTransfer',
  'spotDeploy',
  'perpDeploy',
  'finalizeEvmContract',
  'activateOutcomeDeployer',
  'authorizeAqav2Role',
  'CSignerAction',
  'CValidatorAction',
  'validatorL1Stream',
  'evmUserModify',
  'agentEnableDexAbstraction',
  'agentSetAbstraction',
  'registerReferrer',
  'setReferrer',
  'reserveRequestWeight',
  'gossipPriorityBid',
  'borrowLend',
  'claimRewards',
  'spotUser',
  'userOutcome',
  'setDisplayName',
];

/**
 * User-signed actions by their type in requests; they reach the venue in multi-sig actions, too.
 */
const USER_SIGNED = [
  'usdSend',
  'spotSend',
  'sendAsset',
  'sendToEvmWithData',
  'withdraw3',
  'usdClassTransfer',
  'cDeposit',
  'cWithdraw',
  'tokenDelegate',
  'approveAgent',
  'approveBuilderFee',
  'convertToMultiSigUser',
  'multiSig',
  'userSetAbstraction',
  'userDexAbstraction',
  'userPortfolioMargin',
  'linkStakingUser',
  'stakingLinkDisableTradingUser',
];

/**
 * Hyperliquid: L1 actions, also as an authorized user of a multi-sig user; under rule `user` what a
 * wallet signs itself, under `multi-sig` the envelope that sends a multi-sig action.
 */
export const HYPERLIQUID_POLICIES: VenuePolicies = {
  docs: [
    'https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/exchange-endpoint',
    'https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/signing',
    'https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/nonces-and-api-wallets',
    'https://github.com/hyperliquid-dex/hyperliquid-python-sdk/blob/7ee976d123b1e04295e4a1e37a424ca6a13bef88/hyperliquid/exchange.py',
  ],
  tradeOnly: {
    when: oneOf('signed.action.type', TRADING),
    rules: { 'multi-sig': oneOf('signed.action.type', TRADING) },
  },
  noWithdrawals: {
    when: oneOf('signed.action.type', [...NO_TRADING, ...USER_SIGNED]),
    // A multi-sig action may be of any kind, also of kinds that the venue adds.
    rules: { user: 'true', 'multi-sig': `!(${oneOf('signed.action.type', [...TRADING, ...LEVERAGE])})` },
  },
};
