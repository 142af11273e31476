import type { PresetRule, VenuePreset } from './venue-preset.ts';

/** Domain of user-signed actions, with any chainId. */
const USER_DOMAIN = {
  name: 'HyperliquidSignTransaction',
  version: '1',
  verifyingContract: '0x0000000000000000000000000000000000000000',
};

/** The outer signature of multi-sig actions, mainnet. */
const MULTI_SIG: PresetRule = {
  venue: 'Hyperliquid multi-sig envelope, mainnet',
  docs: 'https://hyperliquid.gitbook.io/hyperliquid-docs/hypercore/multi-sig',
  notes: [
    'The outer signer sends one request for all: an action of type multiSig with the signatures of authorized users, its own included if it is one of them.',
    'Authorized users sign the inner action first, all with the same nonce: an L1 action under the default rule with multiSigUser and outerSigner in data; a user-signed action under rule user, with the fields payloadMultiSigUser and outerSigner (both address) after hyperliquidChain in types and message.',
    'Order of members: signatureChainId, signatures, payload; in payload: multiSigUser, outerSigner, action. Addresses are lowercase.',
    'In signatures, remove leading zeros from r and s ("0x0a…" becomes "0xa…"); this service returns 32 bytes each.',
    'Of userSetAbstraction, the envelope has the short mode (i, u or p), and the inner signatures are for the long one (disabled, unifiedAccount or portfolioMargin).',
    'nonce, vaultAddress and expiresAfter must equal those of the inner signatures. The venue checks the nonce of the outer signer only.',
    'Policies read the inner action as signed.action, with signed.multiSigUser and signed.outerSigner. Rule user rejects envelopes, of which they would see only a hash.',
  ],
  example: {
    source:
      'https://github.com/nktkas/hyperliquid/blob/db80d598f6e4672edc090fe69994ecec97ebc980/tests/signing/mod.test.ts',
    key: { hex: '822e9959e022b78423eb653a62ea0020cd283e71a2a8133a6ff2aeffaf373cff' },
    data: {
      action: {
        type: 'multiSig',
        signatureChainId: '0x66eee',
        signatures: [
          {
            r: '0x12a4e2b7cfc2b5fc3d1e7847573de88bf1172731392be62fa6a9f2de3772b5ba',
            s: '0x565f4ad818ae04b26624e548ed3d2a9d5a41a8b6460cfc1555a0fe07d6a56121',
            v: 27,
          },
        ],
        payload: {
          multiSigUser: '0x1234567890123456789012345678901234567890',
          outerSigner: '0xe5ca49fb3bd9a581f0d1ef9cb5d7177da08bf901',
          action: {
            type: 'order',
            orders: [{ a: 0, b: true, p: '30000', s: '0.1', r: false, t: { limit: { tif: 'Gtc' } } }],
            grouping: 'na',
          },
        },
      },
      nonce: 1234567890,
    },
    payload:
      '1901feb1393ca4412a4ca577bd51d04f0a77033514c602f4d0a11490fb95f7428df6d69191cc14c86aa189e76d75d8af73b606f6ae8cc6d399b5133b2db0dc34a3a4',
    payloadEncoding: 'hex',
    signature:
      '0x6ce5dcb0b71db89f2b94f1427533013457e93d9b3f2b3d2b84bf8a0cb0ec008f04e8981a177b328bebaae28598827f0aeee8be5b6f62756d81f6e71830c2103d1c',
  },
};

/** {@link MULTI_SIG} on the testnet. */
const MULTI_SIG_TESTNET: PresetRule = {
  ...MULTI_SIG,
  venue: 'Hyperliquid multi-sig envelope, testnet',
  example: {
    source:
      'https://github.com/nktkas/hyperliquid/blob/db80d598f6e4672edc090fe69994ecec97ebc980/tests/signing/mod.test.ts',
    key: { hex: '822e9959e022b78423eb653a62ea0020cd283e71a2a8133a6ff2aeffaf373cff' },
    data: {
      action: {
        type: 'multiSig',
        signatureChainId: '0x66eee',
        signatures: [
          {
            r: '0xbeaaefe1f198650d10751bde2d398f2c27b00ce27df76b02a49e01b6cf674a0c',
            s: '0x918a44e4ec29e6cba349ee48a177490d04e7b01ea23fd6845c274dc7150e91c',
            v: 27,
          },
        ],
        payload: {
          multiSigUser: '0x1234567890123456789012345678901234567890',
          outerSigner: '0xe5ca49fb3bd9a581f0d1ef9cb5d7177da08bf901',
          action: {
            type: 'userSetAbstraction',
            signatureChainId: '0x66eee',
            hyperliquidChain: 'Testnet',
            user: '0x3b4d2cc2e144a0044002506c8b44508e9ace82e9',
            abstraction: 'i',
            nonce: 1780130409592,
          },
        },
      },
      nonce: 1780130409592,
    },
    payload:
      '1901feb1393ca4412a4ca577bd51d04f0a77033514c602f4d0a11490fb95f7428df6e67616a1207e2c5006ded92a0451cfb5e702ff10c51c914513535eaad29cb9bc',
    payloadEncoding: 'hex',
    signature:
      '0x28159b1dc1496ca8d81c2aee9f2f73882b6f6f7f6a54509010cbdb08c53026990d6832d115cd3149302afcbe1189875bc46e12f025d59aa618676f29cdc4ce6f1c',
  },
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
    rules: {
      user: { rule: 'typed-data', domain: USER_DOMAIN, algorithm: 'eip712' },
      'multi-sig': { rule: 'hyperliquid-multi-sig', network: 'mainnet', algorithm: 'eip712' },
    },
  },
  rules: { user: { alias: 'hyperliquid-user' }, 'multi-sig': MULTI_SIG },
  keyFile: 'the private key of an agent (API) wallet, 64 hex digits',
  notes: [
    "The order of the action's members is signed. Use the order of the official SDK (an order: a, b, p, s, r, t, then c; a trigger: isMarket, triggerPx, tpsl).",
    'Prices and sizes are strings without trailing zeros: "100", not "100.0". Addresses and client order IDs are lowercase.',
    'Other forms of an action have another hash, and the venue would report that an unknown wallet does not exist: the service rejects them in the actions that it knows.',
    'nonce is the time in milliseconds. It is not part of the action. nonce, vaultAddress and expiresAfter must equal those of the request.',
    'The venue keeps the 100 highest nonces of each signer. A new one must be higher than the lowest of them and not used, and within 2 days before and 1 day after the time of the venue. Count up atomically from the time in milliseconds, one counter for each signer, and use a separate agent wallet for each process and sub-account.',
    'An absent member and a null member are different actions: omit unused members. For vaultAddress, null is the same as absent.',
    'The venue expects the signature as {r, s, v}: the first 32 bytes, the next 32 bytes and the last byte (27 or 28). The SDK prints r and s without leading zeros; this service returns 32 bytes each.',
    'Rule user signs actions that move money (usdSend, withdraw3 …). The venue accepts them only from the wallet itself. With the key of the wallet, callers that may sign orders may also sign such actions. To prevent this, omit the rule with --rule hyperliquid-l1, or use the key of an agent wallet.',
    'As an authorized user of a multi-sig user, add multiSigUser and outerSigner to data; the signature is then valid only in their multi-sig action. Rule multi-sig signs the envelope that sends it.',
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
  platform: {
    ...HYPERLIQUID.platform,
    payload: { rule: 'hyperliquid-l1', network: 'testnet' },
    rules: {
      ...HYPERLIQUID.platform.rules,
      'multi-sig': { rule: 'hyperliquid-multi-sig', network: 'testnet', algorithm: 'eip712' },
    },
  },
  rules: { ...HYPERLIQUID.rules, 'multi-sig': MULTI_SIG_TESTNET },
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
