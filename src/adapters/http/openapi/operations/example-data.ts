/** Data of each format, from the specification. */
export const EXAMPLE_DATA = {
  A: {
    instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy', amount: '10', price: '98.5' },
    nonce: 1763628540123,
  },
  B: {
    message: { action: 'order', symbol: 'ETH-USD', price: '3050.1', quantity: '2', timestamp: 1763628540123 },
  },
  C: {
    method: 'POST',
    endpoint: '/api/v3/order',
    params: {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'LIMIT',
      quantity: '0.5',
      price: '64000.00',
      timestamp: 1763628540123,
    },
  },
  D: {
    method: 'POST',
    path: '/api/v5/trade/order',
    body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '2', px: '64000' },
    timestamp: '2026-11-20T08:49:00.123Z',
  },
} as const;

/** Time of the examples. */
export const EXAMPLE_TIME = '2026-11-20T08:49:00.000Z';

/** Of {@link EXAMPLE_DATA} in format A, by a key published in RFC 8032. */
export const EXAMPLE_SIGNATURE =
  '62MqJZ1hynMu9oMuNn7pzJjGrw755hfhWC7p4vg78VexjhTe34P4JZ3MJjNB9s6Hq1xtyZ8rzWG6S75GFs8jfVjk';

/** A published secp256k1 key. */
export const EXAMPLE_SECP256K1_KEY =
  '0x046655feed4d214c261e0a6b554395596f1f1476a77d999560e5a8df9b8a1a3515217e88dd05e938efdd71b2cce322bf01da96cd42087b236e8f5043157a9c068e';

/** Its short name in audit records. */
export const EXAMPLE_KEY_ID = '4250702aaddcfe90';

/** Its Ethereum address. */
export const EXAMPLE_ADDRESS = '0x14791697260E4c9A71f18484C9f997B308e59325';
