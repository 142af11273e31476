/** Logins of WebSockets, and messages of Binance's WebSocket API, that ccxt signs. */
import { record } from './isolated-requests.mjs';
import { KEYS, NON_ASCII, PEM, RESERVED } from './requests.mjs';

/** Arguments of `authenticate`; `rule` where the preset has a named rule for the login. */
const LOGINS = [
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
    await record(about, () => takeLogin(exchange, argument));
  }
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

/** The message that `authenticate` would send; it then waits for a response. */
function takeLogin(exchange, argument) {
  return new Promise((resolve, reject) => {
    exchange.watch = (url, _hash, message) => {
      const body = JSON.stringify(message);
      resolve({ method: 'MESSAGE', url: url.replace('wss:', 'https:'), headers: {}, body });
    };
    exchange.authenticate(argument).catch(reject);
  });
}
