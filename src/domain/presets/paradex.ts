import type { VenuePreset } from './venue-preset.ts';

/** Paradex, main network. */
export const PARADEX: VenuePreset = {
  name: 'paradex',
  venue: 'Paradex, main network',
  docs: 'https://docs.paradex.trade/developer-portal/mainnet-documentation/paradex-rest-api-beta-format/authentication',
  platform: {
    format: 'any',
    payload: {
      rule: 'starknet-typed-data',
      domain: { name: 'Paradex', version: '1', chainId: 'PRIVATE_SN_PARACLEAR_MAINNET' },
    },
    algorithms: ['starknet'],
    encoding: '0x-hex',
  },
  keyFile: 'the Paradex private key (of the account or a subkey), 0x and hex digits',
  values: {
    address: 'the Paradex (StarkNet) account address, 0x and hex digits, also of the main account of a subkey',
  },
  notes: [
    'One rule signs orders (primaryType Order, ModifyOrder), the login (Request) and the onboarding (Constant). A login gives access to the account, so restrict callers with policies on signed.primaryType if they only place orders.',
    'The order of the fields in types is signed: name, chainId, version for StarkNetDomain, and for the others as in the official SDK.',
    'The venue expects a signature as the text ["R","S"] of two decimal numbers: the first and the last 32 bytes.',
    'size and price are integers with 8 decimals ("10000000" is 0.1), side is 1 (buy) or 2 (sell), market and orderType are short strings. timestamp is in milliseconds for orders, in seconds for the login, and must equal that of the request.',
    'The signature of a login is sent with the address and both times: PARADEX-STARKNET-ACCOUNT, PARADEX-STARKNET-SIGNATURE, PARADEX-TIMESTAMP, PARADEX-SIGNATURE-EXPIRATION.',
    'The test network has the chainId PRIVATE_SN_POTC_SEPOLIA: change the domain of the platform.',
    'Nobody published a signature: these were computed with the messages and the test key of the official SDK. The SDK adds a seed to the nonce, so its signatures differ; the venue accepts both.',
  ],
  example: {
    source:
      'https://github.com/tradeparadex/paradex-py/blob/334a7f81592c725af6495e93983cb47fc54cd484/paradex_py/message/order.py',
    isComputed: true,
    key: { hex: '00543b6cf6c91817a87174aaea4fb370ac1c694e864d7740d728f8344d53e815' },
    values: { address: '0x129c135ed63df9353885e292be4426b8ed6122b13c6c0e1bb787288a1f5adfa' },
    data: {
      domain: { name: 'Paradex', chainId: '0x505249564154455f534e5f50415241434c4541525f4d41494e4e4554', version: '1' },
      primaryType: 'Order',
      types: {
        StarkNetDomain: [
          { name: 'name', type: 'felt' },
          { name: 'chainId', type: 'felt' },
          { name: 'version', type: 'felt' },
        ],
        Order: [
          { name: 'timestamp', type: 'felt' },
          { name: 'market', type: 'felt' },
          { name: 'side', type: 'felt' },
          { name: 'orderType', type: 'felt' },
          { name: 'size', type: 'felt' },
          { name: 'price', type: 'felt' },
        ],
      },
      message: {
        timestamp: '1634736000000',
        market: 'ETH-USD-PERP',
        side: '1',
        orderType: 'LIMIT',
        size: '10000000',
        price: '150000000000',
      },
    },
    payload:
      '0000000000000000000000000000000000537461726b4e6574204d65737361676506f74f207280b65cf663fb8d7763fac1e7398cd6d7da5d7681dc300ee4278a0a0129c135ed63df9353885e292be4426b8ed6122b13c6c0e1bb787288a1f5adfa037eab8d0b16fed3dc75a5ad427f14a7dc044dc259269d39887347aed1ecf99c',
    payloadEncoding: 'hex',
    signature:
      '0x05918d73835304c75451e8cd8acafaa9c7d692b389738e91661a8c860423588b06868bce88c31763629a255345fc48f70f390cf8df27b202070e2c959c51e1ff',
  },
};
