import { AMPERSAND, COINBASE, KEYS, NON_ASCII, RESERVED } from './requests.mjs';

const LINEAR = { category: 'linear', symbol: 'BTCUSDT' };

const COINBASE_ORDER = {
  client_order_id: 'c1',
  product_id: 'BTC-USD',
  side: 'BUY',
  order_configuration: { limit_limit_gtc: { base_size: '0.001', limit_price: '10000' } },
};

const COINBASE_CASES = [
  ['order', 'brokerage/orders', ['v3', 'private'], 'POST', COINBASE_ORDER],
  ['cancel', 'brokerage/orders/batch_cancel', ['v3', 'private'], 'POST', { order_ids: ['28'] }],
  ['query', 'brokerage/orders/historical/batch', ['v3', 'private'], 'GET', { product_ids: ['BTC-USD'], limit: '10' }],
];

/** As `CCXT_VENUES`: RSA keys, tokens, and what `source`, another version of ccxt, signs. */
export const CCXT_KEY_VENUES = [
  {
    preset: 'aster',
    source: 'ccxt-aster-v1',
    cases: [
      ['order', 'v1/order', 'fapiPrivate', 'POST', { symbol: 'BTCUSDT', side: 'BUY', price: '9000', quantity: '1' }],
      ['cancel', 'v1/order', 'fapiPrivate', 'DELETE', { symbol: 'BTCUSDT', orderId: '28' }],
      ['batch cancel', 'v1/batchOrders', 'fapiPrivate', 'DELETE', { symbol: 'BTCUSDT', orderIdList: ['28', '29'] }],
      ['query', 'v1/openOrders', 'fapiPrivate', 'GET', { symbol: 'BTCUSDT', recvWindow: 5000 }],
      ['reserved', 'v1/order', 'fapiPrivate', 'GET', { symbol: 'BTCUSDT', origClientOrderId: 'a/b:c' }],
      ['non-ASCII', 'v1/order', 'fapiPrivate', 'GET', { symbol: NON_ASCII, orderId: '28' }],
    ],
  },
  {
    preset: 'binance-rsa',
    exchange: 'binance',
    options: { secret: KEYS.rsaPem },
    cases: [
      ['order', 'order', 'private', 'POST', { symbol: 'LTCBTC', side: 'BUY', price: '0.1', newClientOrderId: 'c1' }],
      ['cancel', 'order', 'private', 'DELETE', { symbol: 'LTCBTC', orderId: '28' }],
      ['withdrawal', 'capital/withdraw/apply', 'sapi', 'POST', { coin: 'BTC', address: 'bc1qtest', amount: '0.1' }],
      ['reserved', 'order', 'private', 'GET', { symbol: 'LTCBTC', origClientOrderId: RESERVED }],
      ['ampersand', 'order', 'private', 'GET', { symbol: 'LTCBTC', origClientOrderId: AMPERSAND }],
      ['non-ASCII', 'order', 'private', 'GET', { symbol: NON_ASCII, orderId: '28' }],
    ],
  },
  {
    preset: 'bybit-rsa',
    exchange: 'bybit',
    options: { secret: KEYS.rsaPem },
    values: { apiKey: KEYS.apiKey },
    cases: [
      ['order', 'v5/order/create', 'private', 'POST', { ...LINEAR, qty: '0.01', reduceOnly: false }],
      ['cancel', 'v5/order/cancel', 'private', 'POST', { ...LINEAR, orderId: '28' }],
      [
        'batch',
        'v5/order/create-batch',
        'private',
        'POST',
        { category: 'linear', request: [{ symbol: 'BTCUSDT', qty: '1' }] },
      ],
      ['query', 'v5/order/realtime', 'private', 'GET', LINEAR],
      ['reserved', 'v5/order/realtime', 'private', 'GET', { category: 'linear', orderLinkId: RESERVED }],
      ['non-ASCII body', 'v5/order/create', 'private', 'POST', { category: 'linear', symbol: NON_ASCII }],
    ],
  },
  {
    preset: 'coinbase',
    options: { apiKey: COINBASE.keyName, secret: KEYS.p256Pem },
    values: { keyName: COINBASE.keyName },
    cases: COINBASE_CASES,
  },
  {
    preset: 'coinbase-ed25519',
    exchange: 'coinbase',
    options: { apiKey: COINBASE.keyName, secret: COINBASE.ed25519Secret },
    values: { keyName: COINBASE.keyName },
    cases: COINBASE_CASES,
  },
  {
    preset: 'upbit',
    values: { accessKey: KEYS.apiKey },
    cases: [
      ['order', 'orders', 'private', 'POST', { market: 'KRW-BTC', side: 'bid', price: '100', ord_type: 'limit' }],
      ['cancel', 'order', 'private', 'DELETE', { uuid: 'cdd92199-2897-4e14-9448-f923320408ad' }],
      ['withdrawal', 'withdraws/coin', 'private', 'POST', { currency: 'BTC', amount: '1', address: 'bc1qtest' }],
      ['array', 'orders/open', 'private', 'GET', { market: 'KRW-BTC', states: ['wait', 'watch'] }],
      ['no parameters', 'accounts', 'private', 'GET', {}],
      ['reserved', 'orders/open', 'private', 'GET', { market: 'a/b:c+d,e=f' }],
      ['non-ASCII', 'orders/open', 'private', 'GET', { market: NON_ASCII }],
    ],
  },
];
