import type { VenuePreset } from './venue-preset.ts';

/** How every chain of the Cosmos SDK is signed for. */
const SIGN_DOC_NOTES = [
  'signDoc has the bytes that makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, chainId, accountNumber)) of @cosmjs/proto-signing returns, in base64 or hex.',
  'Send a TxRaw with the same bodyBytes and authInfoBytes and, as its only signature, the 64 decoded bytes of signature.',
  "The account's publicKey is the base64 key of /cosmos.crypto.secp256k1.PubKey. Its address is bech32 of ripemd160(sha256(publicKey)): rawSecp256k1PubkeyToRawAddress of @cosmjs/amino.",
  'A sequence is used once: sign transactions of an account one after the other, and read the sequence again after a failed broadcast. Set timeoutHeight, so that a transaction that was signed but not included expires.',
];

/** dYdX v4, mainnet. */
export const DYDX: VenuePreset = {
  name: 'dydx',
  venue: 'dYdX v4, mainnet',
  docs: 'https://docs.dydx.xyz',
  platform: {
    format: 'any',
    payload: { rule: 'cosmos-sign-doc', chainId: 'dydx-mainnet-1' },
    algorithms: ['cosmos'],
    encoding: 'base64',
  },
  keyFile:
    "the private key of the account, 64 hex digits; or its mnemonic, with --key-format mnemonic, for the key at m/44'/118'/0'/0/0",
  notes: [
    'Orders are MsgPlaceOrder and MsgCancelOrder of dydxprotocol.clob, composed by Composer of @dydxprotocol/v4-client-js; a wallet that implements signDirect of cosmjs with this service signs for that client.',
    'Short-term orders (orderFlags 0) need goodTilBlock instead of a new sequence: the chain does not check their sequence, and the client uses a cached one. Long-term (64) and conditional (32) orders need goodTilBlockTime and the next sequence.',
    'The same key signs transfers and withdrawals. Allow only orders with a policy: see the example dydx-btc-orders of the policies page. Or register the key of this service as a permissioned key (authenticator) of the trading account: such transactions name it in nonCriticalExtensionOptions.',
    'Quantums and subticks are integers of the market: read atomicResolution and stepBaseQuantums from the indexer.',
    ...SIGN_DOC_NOTES,
  ],
  example: {
    source:
      'https://github.com/dydxprotocol/v4-chain/blob/08d92c907f25c7000ff4a0aa0378bc680c4db954/proto/dydxprotocol/clob/order.proto',
    isComputed: true,
    key: { hex: 'e92a6595c934c991d3b3e987ea9b3125bf61a076deab3a9cb519787b7b3e8d77' },
    data: {
      signDoc:
        'CnAKbgogL2R5ZHhwcm90b2NvbC5jbG9iLk1zZ1BsYWNlT3JkZXISSgpICjQKLQorZHlkeDE0enp1ZWF6ZWgwaGo2N2NnaGhmOWp5cHNsY2Y5c2gybjVrNmFydBUVzVsHEAEYgK3iBCCAoL6BlQEosagDElgKUApGCh8vY29zbW9zLmNyeXB0by5zZWNwMjU2azEuUHViS2V5EiMKIQPwvnY/eBtbWevDfXIb7akTFIpTlCW6pyC5fUgg9lLtdRIECgIIARgFEgQQwIQ9Gg5keWR4LW1haW5uZXQtMSAM',
    },
    payload:
      '0a700a6e0a202f6479647870726f746f636f6c2e636c6f622e4d7367506c6163654f72646572124a0a480a340a2d0a2b6479647831347a7a7565617a656830686a36376367686866396a7970736c6366397368326e356b366172741515cd5b0710011880ade2042080a0be81950128b1a80312580a500a460a1f2f636f736d6f732e63727970746f2e736563703235366b312e5075624b657912230a2103f0be763f781b5b59ebc37d721beda913148a539425baa720b97d4820f652ed7512040a0208011805120410c0843d1a0e647964782d6d61696e6e65742d31200c',
    payloadEncoding: 'hex',
    signature: 'RmeUNDbEfRWyPZZaxurb5CfLAdXcB0a6CvYBVpD/980xw2d9DZVAuTrgCWj3LsOg0DcqfQOKC4AnU/8xSYLR4A==',
  },
};

/** {@link DYDX} on the testnet. */
export const DYDX_TESTNET: VenuePreset = {
  ...DYDX,
  name: 'dydx-testnet',
  venue: 'dYdX v4, testnet',
  platform: { ...DYDX.platform, payload: { rule: 'cosmos-sign-doc', chainId: 'dydx-testnet-4' } },
  example: {
    ...DYDX.example,
    data: {
      signDoc:
        'CnAKbgogL2R5ZHhwcm90b2NvbC5jbG9iLk1zZ1BsYWNlT3JkZXISSgpICjQKLQorZHlkeDE0enp1ZWF6ZWgwaGo2N2NnaGhmOWp5cHNsY2Y5c2gybjVrNmFydBUVzVsHEAEYgK3iBCCAoL6BlQEosagDElgKUApGCh8vY29zbW9zLmNyeXB0by5zZWNwMjU2azEuUHViS2V5EiMKIQPwvnY/eBtbWevDfXIb7akTFIpTlCW6pyC5fUgg9lLtdRIECgIIARgFEgQQwIQ9Gg5keWR4LXRlc3RuZXQtNCAM',
    },
    payload:
      '0a700a6e0a202f6479647870726f746f636f6c2e636c6f622e4d7367506c6163654f72646572124a0a480a340a2d0a2b6479647831347a7a7565617a656830686a36376367686866396a7970736c6366397368326e356b366172741515cd5b0710011880ade2042080a0be81950128b1a80312580a500a460a1f2f636f736d6f732e63727970746f2e736563703235366b312e5075624b657912230a2103f0be763f781b5b59ebc37d721beda913148a539425baa720b97d4820f652ed7512040a0208011805120410c0843d1a0e647964782d746573746e65742d34200c',
    signature: 'jduxV9XXPnK5cV4wBEnb0hZsuBZ/iRR9TJVB0XlwlpEvdJGKJwAZMN9trKeMfGHK+DHpOJuy7nC6BCtLocaqPg==',
  },
};

/** Transactions of the Cosmos Hub. */
export const COSMOS_HUB: VenuePreset = {
  name: 'cosmos-hub',
  venue: 'Cosmos Hub',
  docs: 'https://docs.cosmos.network',
  platform: {
    format: 'any',
    payload: { rule: 'cosmos-sign-doc', chainId: 'cosmoshub-4' },
    algorithms: ['cosmos'],
    encoding: 'base64',
  },
  keyFile:
    "the private key of the account, 64 hex digits; or its mnemonic, with --key-format mnemonic, for the key at m/44'/118'/0'/0/0",
  notes: [
    'For another chain of the Cosmos SDK, set its chain ID: --payload with chainId. Chains whose accounts have Ethereum keys (ethsecp256k1, such as Injective) hash with Keccak-256 and are not supported.',
    ...SIGN_DOC_NOTES,
  ],
  example: {
    source:
      'https://github.com/cosmos/cosmjs/blob/fdeca6309bee401a3bad3db29ca926f748a8fb13/packages/proto-signing/src/testutils.ts',
    isComputed: true,
    key: { hex: 'e16ee698b4a4ee03566d7dd9bb6f0e8a2dda802527ba56205f5767c0049fa0b9' },
    data: {
      signDoc:
        'CpMBCpABChwvY29zbW9zLmJhbmsudjFiZXRhMS5Nc2dTZW5kEnAKLWNvc21vczFwa3B0cmU3ZmRrbDZnZnJ6bGVzamp2aHhobGMzcjRnbW1rOHJzNhItY29zbW9zMXF5cHF4cHE5cWNyc3N6ZzJwdnhxNnJzMHpxZzN5eWM1bHp2N3h1GhAKBXVhdG9tEgcxMjM0NTY3EmUKTgpGCh8vY29zbW9zLmNyeXB0by5zZWNwMjU2azEuUHViS2V5EiMKIQNPBBge66NTkbhYYzp2XEoMGJaXtA0hY1TVCJDTUMcCkBIECgIIARITCg0KBXVhdG9tEgQyMDAwEMCaDBoLY29zbW9zaHViLTQgAQ==',
    },
    payload:
      '0a93010a90010a1c2f636f736d6f732e62616e6b2e763162657461312e4d736753656e6412700a2d636f736d6f7331706b707472653766646b6c366766727a6c65736a6a766878686c63337234676d6d6b38727336122d636f736d6f7331717970717870713971637273737a673270767871367273307a716733797963356c7a763778751a100a057561746f6d12073132333435363712650a4e0a460a1f2f636f736d6f732e63727970746f2e736563703235366b312e5075624b657912230a21034f04181eeba35391b858633a765c4a0c189697b40d216354d50890d350c7029012040a02080112130a0d0a057561746f6d12043230303010c09a0c1a0b636f736d6f736875622d342001',
    payloadEncoding: 'hex',
    signature: 'lzB79IQQSHYs9Xc58S8Q1vAbsiS2MFUeMQfIEeU/3BYimSLzBGfZDWicspQyFfaN7KHizsTvT6bEmJiPna+krg==',
  },
};
