import type { VenuePreset } from './venue-preset.ts';

/** Domain of user-signed actions, with any chainId. */
const USER_DOMAIN = {
  name: 'HyperliquidSignTransaction',
  version: '1',
  verifyingContract: '0x0000000000000000000000000000000000000000',
};

/** Hyperliquid L1 actions, mainnet. */
export const HYPERLIQUID: VenuePreset = {
  name: 'hyperliquid',
  venue: 'Hyperliquid L1 actions, mainnet',
  docs: 'https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/signing',
  platform: {
    format: 'any',
    payload: { rule: 'hyperliquid-l1', network: 'mainnet' },
    algorithms: ['hyperliquid-l1'],
    encoding: '0x-hex',
    rules: { user: { rule: 'typed-data', domain: USER_DOMAIN, algorithm: 'eip712' } },
  },
  rules: { user: { alias: 'hyperliquid-user' } },
  keyFile: 'the private key of an agent (API) wallet, 64 hex digits',
  notes: [
    "The order of the action's members is signed. Use the order of the official SDK (an order: a, b, p, s, r, t, then c; a trigger: isMarket, triggerPx, tpsl).",
    'Prices and sizes are strings without trailing zeros: "100", not "100.0". A trailing zero changes the hash, and the venue then reports that an unknown wallet does not exist.',
    'Addresses in the action must be lowercase: they are signed as text.',
    'nonce is the time in milliseconds. It is not part of the action. nonce, vaultAddress and expiresAfter must equal those of the request.',
    'An absent member and a null member are different actions: omit unused members. For vaultAddress, null is the same as absent.',
    'The venue expects the signature as {r, s, v}: the first 32 bytes, the next 32 bytes and the last byte (27 or 28). The SDK prints r and s without leading zeros; this service returns 32 bytes each.',
    'Rule user signs actions that move money (usdSend, withdraw3 …). The venue accepts them only from the wallet itself. With the key of the wallet, callers that may sign orders may also sign such actions. To prevent this, omit the rule with --rule hyperliquid-l1, or use the key of an agent wallet.',
    "Mainnet and testnet differ in the phantom agent's source, a or b: a signature for one is invalid on the other.",
  ],
  example: {
    source:
      'https://github.com/hyperliquid-dex/hyperliquid-python-sdk/blob/04f25f28536e58681efc3809baab671938baf724/tests/signing_test.py',
    key: { hex: '0123456789012345678901234567890123456789012345678901234567890123' },
    data: {
      action: {
        type: 'order',
        orders: [{ a: 1, b: true, p: '100', s: '100', r: false, t: { limit: { tif: 'Gtc' } } }],
        grouping: 'na',
      },
      nonce: 0,
    },
    payload:
      '1901d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa404056a652ccec8b12829fce3495c42fc8428b58e3ad04d124c8f46d1955a4da1fbc',
    payloadEncoding: 'hex',
    signature:
      '0xd65369825a9df5d80099e513cce430311d7d26ddf477f5b3a33d2806b100d78e2b54116ff64054968aa237c20ca9ff68000f977c93289157748a3162b6ea940e1c',
  },
};

/** {@link HYPERLIQUID} on the testnet. */
export const HYPERLIQUID_TESTNET: VenuePreset = {
  ...HYPERLIQUID,
  name: 'hyperliquid-testnet',
  venue: 'Hyperliquid L1 actions, testnet',
  platform: { ...HYPERLIQUID.platform, payload: { rule: 'hyperliquid-l1', network: 'testnet' } },
  keyFile: 'the private key of an agent (API) wallet of the testnet, 64 hex digits',
  example: {
    ...HYPERLIQUID.example,
    payload:
      '1901d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa4040d0eb023fe47eea33b30ddfee82a932d7089b31c36d8e52fd0b8284f9d90bd08c',
    signature:
      '0x82b2ba28e76b3d761093aaded1b1cdad4960b3af30212b343fb2e6cdfa4e3d546b53878fc99d26047f4d7e8c90eb98955a109f44209163f52d8dc4278cbbd9f51b',
  },
};

/** Hyperliquid user-signed actions (usdSend, withdraw3 …). */
export const HYPERLIQUID_USER: VenuePreset = {
  name: 'hyperliquid-user',
  venue: 'Hyperliquid user-signed actions (usdSend, withdraw3 …)',
  docs: 'https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/signing',
  platform: {
    format: 'any',
    payload: {
      rule: 'typed-data',
      domain: USER_DOMAIN,
    },
    algorithms: ['eip712'],
    encoding: '0x-hex',
  },
  keyFile: 'the private key of the wallet itself, 64 hex digits',
  notes: [
    'These actions move money and are signed by the wallet itself, not by an agent (API) wallet. Keep its key separate from trading keys.',
    'The name of the primary type contains a colon: HyperliquidTransaction:UsdSend.',
    'The request also contains type and signatureChainId (0x66eee is chainId 421614 of the domain); neither is part of the signed message.',
    'The caller chooses chainId, which must match signatureChainId; hyperliquidChain (Mainnet or Testnet) selects the network.',
    'time (nonce for some actions) is in milliseconds and must equal the nonce of the request. Addresses are signed as lowercase text.',
  ],
  example: {
    source:
      'https://github.com/hyperliquid-dex/hyperliquid-python-sdk/blob/04f25f28536e58681efc3809baab671938baf724/tests/signing_test.py',
    key: { hex: '0123456789012345678901234567890123456789012345678901234567890123' },
    data: {
      domain: {
        name: 'HyperliquidSignTransaction',
        version: '1',
        chainId: 421614,
        verifyingContract: '0x0000000000000000000000000000000000000000',
      },
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        'HyperliquidTransaction:UsdSend': [
          { name: 'hyperliquidChain', type: 'string' },
          { name: 'destination', type: 'string' },
          { name: 'amount', type: 'string' },
          { name: 'time', type: 'uint64' },
        ],
      },
      primaryType: 'HyperliquidTransaction:UsdSend',
      message: {
        hyperliquidChain: 'Testnet',
        destination: '0x5e9ee1089755c3435139848e47e6635505d5a13a',
        amount: '1',
        time: 1687816341423,
      },
    },
    payload:
      '1901feb1393ca4412a4ca577bd51d04f0a77033514c602f4d0a11490fb95f7428df6e81f1691f350bb9a59d2b40b3d16c9526a8f93407dd72bcb9ea95e291a5de6da',
    payloadEncoding: 'hex',
    signature:
      '0x637b37dd731507cdd24f46532ca8ba6eec616952c56218baeff04144e4a7707311a6a24900e6e314136d2592e2f8d502cd89b7c15b198e1bee043c9589f9fad71b',
  },
};
