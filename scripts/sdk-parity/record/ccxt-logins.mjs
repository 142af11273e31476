/** Logins of WebSockets, and messages of Binance's WebSocket API, that ccxt signs. */
import { record } from './isolated-requests.mjs';
import { KEYS, NON_ASCII, PEM, RESERVED } from './requests.mjs';

/** Arguments of `authenticate`; `rule` where the preset has a named rule for the login. */
const LOGINS = [
  { preset: 'bitfinex', rule: 'login' },
  { preset: 'bitget', rule: 'login', argument: { url: 'wss://ws.bitget.com/v2/ws/private' } },
  { preset: 'bitvavo' },
  { preset: 'bybit', rule: 'login', argument: 'wss://stream.bybit.com/v5/private', values: { apiKey: KEYS.apiKey } },
  { preset: 'coinex', rule: 'login', argument: 'spot' },
  { preset: 'deribit' },
  { preset: 'htx', argument: { url: 'wss://api.huobi.pro/ws/v2', hostname: 'api.huobi.pro', type: 'spot' } },
  { preset: 'okx', rule: 'login' },
  { preset: 'woo-v1', exchange: 'woo' },
];

/** @param createExchange makes an exchange of ccxt's namespace `pro` by name and options */
export async function recordLogins(createExchange) {
  for (const { preset, rule, exchange: name = preset, argument, values } of LOGINS) {
    const exchange = createExchange(name);
    const about = { preset, kind: 'login', source: 'ccxt', ...(rule && { rule }), ...(values && { values }) };
    await record(about, () => takeMessage(exchange, () => exchange.authenticate(argument)));
  }
  await recordGate(createExchange('gate'));
  for (const [preset, options, rule] of [
    ['binance-ws', {}],
    ['binance-ws-ed25519', { secret: PEM }],
    ['binance-rsa', { secret: KEYS.rsaPem }, 'websocket'],
  ]) {
    const exchange = createExchange('binance', options);
    for (const [kind, params] of [
      ['order', { symbol: 'LTCBTC', side: 'BUY', type: 'LIMIT', price: '0.1' }],
      ['reserved', { symbol: 'LTCBTC', origClientOrderId: RESERVED }],
      ['non-ASCII', { symbol: NON_ASCII, orderId: '28' }],
    ]) {
      await record({ preset, kind, source: 'ccxt', ...(rule && { rule }) }, () => {
        const body = JSON.stringify({ params: exchange.signParams({ ...params }) });
        return { method: 'MESSAGE', url: 'https://unsent.invalid/', headers: {}, body };
      });
    }
  }
}

async function recordGate(exchange) {
  const url = 'wss://api.gateio.ws/ws/v4/';
  const order = { text: 't-c1', currency_pair: 'BTC_USDT', side: 'buy', amount: '1', price: '1' };
  for (const [rule, kind, send] of [
    ['websocket', 'orders', () => exchange.subscribePrivate(url, 'orders', ['BTC_USDT'], 'spot.orders', {})],
    [
      'websocket',
      'positions',
      () => exchange.subscribePrivate(url, 'positions', ['!all'], 'futures.positions', {}, true),
    ],
    ['websocket-api', 'login', () => exchange.authenticate(url, 'spot')],
    ['websocket-api', 'order', () => exchange.requestPrivate(url, order, 'spot.order_place')],
    ['websocket-api', 'cancel', () => exchange.requestPrivate(url, { order_id: '28' }, 'spot.order_cancel')],
    ['websocket-api', 'non-ASCII', () => exchange.requestPrivate(url, { text: NON_ASCII }, 'spot.order_place')],
  ]) {
    await record({ preset: 'gate', rule, kind, source: 'ccxt' }, () => takeMessage(exchange, send));
  }
}

/** The message that a call would send; it then waits for a response. */
function takeMessage(exchange, send) {
  return new Promise((resolve, reject) => {
    exchange.watch = (url, _hash, message) => {
      const body = JSON.stringify(message);
      resolve({ method: 'MESSAGE', url: url.replace('wss:', 'https:'), headers: {}, body });
    };
    send().catch(reject);
  });
}
