import { COINBASE, KEYS, NON_ASCII, PEM, RESERVED } from './isolated-requests.mjs';

/*
 * Requests by preset; `exchange` is ccxt's name of it. Each has kind, path, API section, method and
 * parameters, as `exchange.sign` takes them.
 */

const PRIVATE = 'private';
const SPOT = ['private', 'spot'];
const API_KEY = { apiKey: KEYS.apiKey };
const BASE64_SECRET = { secret: KEYS.base64Secret };
const RSA = { secret: KEYS.rsaPem };

const post = (path, api, params, kind = 'order') => [kind, path, api, 'POST', params];
const get = (path, api, params, kind = 'query') => [kind, path, api, 'GET', params];

/** Queries whose parameter `name` has reserved and other characters. */
const queries = (path, api, name, params = {}) => [
  get(path, api, { ...params, [name]: RESERVED }, 'reserved'),
  get(path, api, { ...params, [name]: NON_ASCII }, 'non-ASCII'),
];

const BINANCE_CASES = [
  post('order', PRIVATE, { symbol: 'LTCBTC', side: 'BUY', type: 'LIMIT', price: '0.1', newClientOrderId: 'c1' }),
  ...queries('order', PRIVATE, 'origClientOrderId', { symbol: 'LTCBTC' }),
];
const BYBIT_CASES = [
  post('v5/order/create', PRIVATE, { category: 'linear', symbol: NON_ASCII, qty: '0.01', reduceOnly: false }),
  post('v5/order/create-batch', PRIVATE, { category: 'linear', request: [{ symbol: 'BTCUSDT', qty: '1' }] }, 'batch'),
];
const COINBASE_CASES = [
  post('brokerage/orders', ['v3', 'private'], { client_order_id: 'c1', product_id: 'BTC-USD', side: 'BUY' }),
  get('brokerage/orders/historical/batch', ['v3', 'private'], { product_ids: ['BTC-USD'], limit: '10' }),
];
const ASTER_ORDER = { symbol: 'BTCUSDT', side: 'BUY', price: '9000', quantity: '1' };
const WITH_STATES = { market: 'KRW-BTC', states: ['wait', 'watch'] };
const PERPETUAL = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_price: 1521.03 };

/** The exchange in ccxt, its options, and the values of an account that are not the usual ones. */
const SETUPS = {
  aster: { source: 'ccxt-aster-v1' },
  'aster-v3': { exchange: 'aster' },
  backpack: { options: { secret: Buffer.from(KEYS.seed, 'hex').toString('base64') } },
  'binance-ed25519': { exchange: 'binance', options: { secret: PEM } },
  'binance-rsa': { exchange: 'binance', options: RSA },
  bithumb: { values: { accessKey: KEYS.apiKey } },
  bybit: { values: API_KEY },
  'bybit-rsa': { exchange: 'bybit', options: RSA, values: API_KEY },
  coinbase: { options: { apiKey: COINBASE.keyName, secret: KEYS.p256Pem }, values: { keyName: COINBASE.keyName } },
  'coinbase-ed25519': {
    exchange: 'coinbase',
    options: { apiKey: COINBASE.keyName, secret: COINBASE.ed25519Secret },
    values: { keyName: COINBASE.keyName },
  },
  'coinbase-exchange': { exchange: 'coinbaseexchange', options: BASE64_SECRET },
  'crypto-com': { exchange: 'cryptocom', values: API_KEY },
  gemini: { options: { apiKey: 'account-test' } },
  kraken: { options: BASE64_SECRET },
  'kraken-futures': { exchange: 'krakenfutures', options: BASE64_SECRET },
  orderly: {
    exchange: 'woofipro',
    options: { secret: KEYS.seedBase58, accountId: 'test-account', options: { sandboxMode: true } },
  },
  upbit: { values: { accessKey: KEYS.apiKey } },
  'woo-v1': { exchange: 'woo' },
};

const CASES = {
  apex: [
    post('v3/order', PRIVATE, { symbol: NON_ASCII, side: 'BUY', size: '0.01', price: '50000' }),
    ...queries('v3/fills', PRIVATE, 'symbol'),
  ],
  aster: [
    post('v1/order', 'fapiPrivate', ASTER_ORDER),
    ['array', 'v1/batchOrders', 'fapiPrivate', 'DELETE', { symbol: 'BTCUSDT', orderIdList: ['28', '29'] }],
    ...queries('v1/order', 'fapiPrivate', 'origClientOrderId', { symbol: 'BTCUSDT' }),
  ],
  'aster-v3': [
    post('v3/order', 'fapiPrivate', ASTER_ORDER),
    post('v3/batchOrders', 'fapiPrivate', { batchOrders: [{ symbol: 'BTCUSDT', price: '1' }] }, 'batch'),
    ...queries('v3/order', 'fapiPrivate', 'origClientOrderId', { symbol: 'BTCUSDT' }),
  ],
  backpack: [
    post('api/v1/order', PRIVATE, { symbol: 'BTC_USDC', side: 'Bid', price: '100', quantity: '1' }),
    post('api/v1/orders', PRIVATE, [{ symbol: 'BTC_USDC', side: 'Bid' }, { symbol: 'SOL_USDC' }], 'batch'),
    ...queries('api/v1/orders', PRIVATE, 'symbol'),
  ],
  binance: [
    ...BINANCE_CASES,
    post('batchOrders', 'fapiPrivate', { batchOrders: [{ symbol: 'LTCUSDT', price: '0.1' }] }, 'batch'),
  ],
  'binance-ed25519': BINANCE_CASES,
  'binance-rsa': BINANCE_CASES,
  bingx: [
    post('trade/order', ['swap', 'v2', 'private'], { symbol: 'ETH-USDT', side: 'BUY', quantity: 1 }),
    ['array', 'trade/batchOrders', ['swap', 'v2', 'private'], 'DELETE', { orderIdList: ['1', '2'] }],
    ...queries('trade/order', ['swap', 'v2', 'private'], 'clientOrderId', { symbol: 'ETH-USDT' }),
  ],
  bitfinex: [
    post('auth/w/order/submit', PRIVATE, { type: 'EXCHANGE LIMIT', symbol: NON_ASCII, amount: '0.01' }),
    post('auth/w/order/multi', PRIVATE, { ops: [['oc', { id: 28 }]] }, 'batch'),
  ],
  bitget: [
    post('v2/spot/trade/place-order', SPOT, { symbol: NON_ASCII, size: '0.1' }),
    ...queries('v2/spot/trade/orderInfo', SPOT, 'clientOid'),
  ],
  bithumb: [
    post('v1/orders', PRIVATE, { market: 'KRW-BTC', side: 'bid', price: '100', ord_type: 'limit' }),
    get('v1/orders', PRIVATE, WITH_STATES, 'array'),
    get('v1/accounts', PRIVATE, {}, 'no parameters'),
    ...queries('v1/orders', PRIVATE, 'market'),
  ],
  bitvavo: [
    post('order', PRIVATE, { market: 'BTC-EUR', side: 'buy', price: '5000', amount: '1.23' }),
    ...queries('orders', PRIVATE, 'market'),
  ],
  bybit: [...BYBIT_CASES, ...queries('v5/order/realtime', PRIVATE, 'orderLinkId', { category: 'linear' })],
  'bybit-rsa': [...BYBIT_CASES, get('v5/order/realtime', PRIVATE, { orderLinkId: RESERVED }, 'reserved')],
  coinbase: COINBASE_CASES,
  'coinbase-ed25519': COINBASE_CASES,
  'coinbase-exchange': [
    post('orders', PRIVATE, { product_id: 'BTC-USD', side: 'buy', size: '1.0', price: '1.0' }),
    ...queries('fills', PRIVATE, 'product_id'),
  ],
  coinex: [
    post('spot/order', ['v2', 'private'], { market: 'BTCUSDT', side: 'buy', amount: '1', client_id: 'c1' }),
    get('spot/pending-order', ['v2', 'private'], { limit: '10', market: 'BTCUSDT' }),
    ...queries('spot/pending-order', ['v2', 'private'], 'client_id'),
  ],
  'crypto-com': [
    post('private/create-order', ['v1', 'private'], { side: 'BUY', price: '50000.5', client_oid: NON_ASCII }),
    post('private/create-order-list', ['v1', 'private'], { order_list: [{ side: 'BUY' }, { side: 'SELL' }] }, 'batch'),
    post('private/create-order', ['v1', 'private'], { exec_inst: ['POST_ONLY', 'SMART_POST_ONLY'] }, 'array'),
    post('private/get-accounts', ['v1', 'private'], {}, 'no parameters'),
  ],
  'deribit rest': [
    get('buy', PRIVATE, { instrument_name: 'BTC-PERPETUAL', amount: 10 }, 'order'),
    ...queries('buy', PRIVATE, 'label'),
  ],
  gate: [
    post('orders', SPOT, { currency_pair: NON_ASCII, amount: '0.1', text: 't-c1' }),
    post('batch_orders', SPOT, [{ currency_pair: 'BTC_USDT', amount: '0.1', text: 't-c1' }], 'batch'),
    ...queries('my_trades', SPOT, 'currency_pair'),
  ],
  gemini: [
    post('v1/order/new', PRIVATE, { symbol: 'btcusd', amount: '0.01', client_order_id: NON_ASCII }),
    post('v1/order/new', PRIVATE, { options: ['maker-or-cancel'] }, 'array'),
  ],
  htx: [
    post('v1/order/orders/place', ['spot', 'private'], { symbol: 'btcusdt', 'client-order-id': 'c1' }),
    ...queries('v1/order/orders/getClientOrder', ['spot', 'private'], 'clientOrderId'),
  ],
  kraken: [
    post('AddOrder', PRIVATE, { pair: 'XBTUSD', type: 'buy', ordertype: 'limit', price: '37500', volume: '1.25' }),
    post('AddOrderBatch', PRIVATE, { pair: 'XBTUSD', orders: [{ type: 'buy', volume: '1' }] }, 'batch'),
    post('AddOrder', PRIVATE, { pair: 'XBTUSD', close: { ordertype: 'limit', price: '1' } }, 'nested'),
    post('Withdraw', PRIVATE, { asset: 'XBT', key: RESERVED }, 'reserved'),
    post('Withdraw', PRIVATE, { asset: 'XBT', key: NON_ASCII }, 'non-ASCII'),
  ],
  'kraken-futures': [
    post('sendorder', PRIVATE, { symbol: 'PF_XBTUSD', side: 'buy', orderType: 'lmt', size: 1 }),
    post('sendorder', PRIVATE, { cliOrdId: NON_ASCII }, 'non-ASCII'),
    get('fills', PRIVATE, { lastFillTime: RESERVED }, 'reserved'),
  ],
  kucoin: [
    post('orders', PRIVATE, { symbol: NON_ASCII, clientOid: 'c1', side: 'buy' }),
    ...queries('orders', PRIVATE, 'symbol'),
  ],
  mexc: [
    post('order', ['spot', 'private'], { symbol: 'BTCUSDT', side: 'BUY', quantity: '1', price: '11' }),
    ...queries('order', ['spot', 'private'], 'origClientOrderId', { symbol: 'BTCUSDT' }),
  ],
  'mexc futures': [
    post('order/submit', ['contract', 'private'], { symbol: 'BTC_USDT', price: 11, vol: 1 }),
    ...queries('order/list/history_orders', ['contract', 'private'], 'symbol'),
  ],
  okx: [
    post('trade/order', PRIVATE, { instId: NON_ASCII, tdMode: 'cash', px: '2.15', clOrdId: 'c1' }),
    post('trade/batch-orders', PRIVATE, [{ instId: 'BTC-USDT', sz: '1', clOrdId: 'c1' }], 'batch'),
    get('account/balance', PRIVATE, { ccy: ['BTC', 'ETH'] }, 'array'),
    ...queries('asset/deposit-address', PRIVATE, 'ccy'),
  ],
  orderly: [
    post('order', ['v1', 'private'], PERPETUAL),
    post('batch-order', ['v1', 'private'], { orders: [PERPETUAL] }, 'batch'),
    ...queries('trades', ['v1', 'private'], 'symbol'),
  ],
  phemex: [
    ['order', 'g-orders/create', PRIVATE, 'PUT', { clOrdID: 'c1', symbol: 'BTCUSDT', side: 'Buy' }],
    post('g-orders', PRIVATE, { clOrdID: 'c1', symbol: 'BTCUSDT', side: 'Buy' }, 'order by POST'),
    ...queries('g-orders/activeList', PRIVATE, 'symbol'),
  ],
  upbit: [
    post('orders', PRIVATE, { market: 'KRW-BTC', side: 'bid', price: '100', ord_type: 'limit' }),
    get('orders/open', PRIVATE, WITH_STATES, 'array'),
    get('accounts', PRIVATE, {}, 'no parameters'),
    // Upbit's form of a space is not settled.
    get('orders/open', PRIVATE, { market: RESERVED.replace(' ', '') }, 'reserved'),
    get('orders/open', PRIVATE, { market: NON_ASCII }, 'non-ASCII'),
  ],
  woo: [
    post('trade/order', ['v3', 'private'], { symbol: 'SPOT_BTC_USDT', side: 'BUY', quantity: '1' }),
    ...queries('trade/orders', ['v3', 'private'], 'symbol'),
  ],
  'woo-v1': [
    post('order', ['v1', 'private'], { symbol: 'SPOT_BTC_USDT', side: 'BUY', order_price: 9000 }),
    ...queries('orders', ['v1', 'private'], 'symbol'),
  ],
};

/** By preset, with a named rule after a blank. */
export const CCXT_VENUES = Object.entries(CASES).map(([platform, cases]) => {
  const [preset, rule] = platform.split(' ');
  return { preset, rule, exchange: preset, source: 'ccxt', ...SETUPS[platform], cases };
});
