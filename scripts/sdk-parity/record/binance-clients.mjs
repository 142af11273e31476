import { createRequire } from 'node:module';
import { recordAll } from './isolated-requests.mjs';
import { AMPERSAND, KEYS, NON_ASCII, PEM, RESERVED } from './requests.mjs';

/** By name: no dependencies of this repository. */
const load = (name) => import(name);
const loadCommonJs = createRequire(import.meta.url);

const { apiKey, rsaPem, secret } = KEYS;

/** Binance's own clients, and the widely used `binance`. */
export async function recordBinanceClients() {
  await recordBinance();
  await recordBinanceMessages();
  await recordBinanceConnector();
  await recordBinanceOfSiebly();
}

async function recordBinance() {
  const { Spot } = await load('@binance/spot');
  for (const [preset, key] of [
    ['binance', { apiSecret: secret }],
    ['binance-ed25519', { privateKey: PEM }],
    ['binance-rsa', { privateKey: rsaPem }],
  ]) {
    const { restAPI } = new Spot({ configurationRestAPI: { apiKey, retries: 0, ...key } });
    const symbol = 'LTCBTC';
    await recordAll(
      { preset, source: '@binance/spot' },
      {
        order: () =>
          restAPI.newOrder({ symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: 0.1, quantity: 1 }),
        cancel: () => restAPI.deleteOrder({ symbol, orderId: 28 }),
        withdrawal: () =>
          restAPI.sendSignedRequest('/sapi/v1/capital/withdraw/apply', 'POST', {
            coin: 'BTC',
            address: 'bc1qtest',
            amount: 1,
          }),
        array: () => restAPI.sendSignedRequest('/api/v3/order', 'GET', { symbols: ['LTCBTC', 'BNBBTC'] }),
        reserved: () => restAPI.getOrder({ symbol, origClientOrderId: RESERVED }),
        ampersand: () => restAPI.getOrder({ symbol, origClientOrderId: AMPERSAND }),
        parentheses: () => restAPI.getOrder({ symbol, origClientOrderId: "a!'()*" }),
        'non-ASCII': () => restAPI.getOrder({ symbol: NON_ASCII, orderId: 28 }),
      },
    );
  }
}

/** Messages of the WebSocket API, which Spot builds with its package for all connectors. */
async function recordBinanceMessages() {
  const { buildWebsocketAPIMessage } = await load('@binance/common');
  for (const [preset, key, rule] of [
    ['binance-ws', { apiSecret: secret }],
    ['binance-ws-ed25519', { privateKey: PEM }],
    ['binance-rsa', { privateKey: rsaPem }, 'websocket'],
  ]) {
    const build = (method, payload) => () => ({
      method: 'POST',
      url: 'https://unsent.invalid/',
      body: JSON.stringify(buildWebsocketAPIMessage({ apiKey, ...key }, method, payload, { isSigned: true })),
    });
    await recordAll(
      { preset, source: '@binance/spot', ...(rule && { rule }) },
      {
        order: build('order.place', { symbol: 'LTCBTC', side: 'BUY', type: 'LIMIT', price: 0.1, quantity: 1 }),
        cancel: build('order.cancel', { symbol: 'LTCBTC', orderId: 28 }),
        logon: build('session.logon', {}),
        reserved: build('order.status', { symbol: 'LTCBTC', origClientOrderId: RESERVED }),
        'non-ASCII': build('order.status', { symbol: NON_ASCII, orderId: 28 }),
      },
    );
  }
}

async function recordBinanceConnector() {
  const { Spot } = loadCommonJs('@binance/connector');
  for (const [preset, client] of [
    ['binance', new Spot(apiKey, secret)],
    ['binance-rsa', new Spot(apiKey, '', { privateKey: rsaPem })],
  ]) {
    const symbol = 'LTCBTC';
    await recordAll(
      { preset, source: '@binance/connector' },
      {
        order: () => client.newOrder(symbol, 'BUY', 'LIMIT', { price: '0.1', quantity: '1', timeInForce: 'GTC' }),
        cancel: () => client.cancelOrder(symbol, { orderId: 28 }),
        withdrawal: () => client.withdraw('BTC', 'bc1qtest', 1, { name: '龙虾' }),
        array: () => client.dustTransfer(['BTC', 'LTC']),
        reserved: () => client.getOrder(symbol, { origClientOrderId: RESERVED }),
        ampersand: () => client.getOrder(symbol, { origClientOrderId: AMPERSAND }),
        parentheses: () => client.getOrder(symbol, { origClientOrderId: "a!'()*" }),
        'non-ASCII': () => client.getOrder(NON_ASCII, { orderId: 28 }),
      },
    );
  }
}

async function recordBinanceOfSiebly() {
  const { MainClient, USDMClient } = loadCommonJs('binance');
  for (const [preset, api_secret] of [
    ['binance', secret],
    ['binance-rsa', rsaPem],
  ]) {
    const options = { api_key: apiKey, api_secret, disableTimeSync: true, beautifyResponses: false };
    const main = new MainClient(options);
    const futures = new USDMClient(options);
    const order = {
      symbol: 'LTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '0.1',
      quantity: '1',
      newClientOrderId: 'c1',
    };
    await recordAll(
      { preset, source: 'binance' },
      {
        order: () => main.submitNewOrder(order),
        cancel: () => main.cancelOrder({ symbol: 'LTCUSDT', orderId: 28 }),
        batch: () => futures.submitMultipleOrders([order]),
        withdrawal: () => main.withdraw({ coin: 'BTC', address: 'bc1qtest', amount: 1 }),
        array: () => main.convertDustToBnb({ asset: ['BTC', 'LTC'] }),
        reserved: () => main.getOrder({ symbol: 'LTCUSDT', origClientOrderId: RESERVED }),
        ampersand: () => main.getOrder({ symbol: 'LTCUSDT', origClientOrderId: AMPERSAND }),
        'non-ASCII': () => main.getOrder({ symbol: NON_ASCII, orderId: 28 }),
      },
    );
  }
}
