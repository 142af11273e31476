/*
 * Requests that the venues' own clients and others sign and try to send. Arguments: file for the
 * records, keys as JSON.
 */
import { recordCosmosClients } from './cosmos-clients.mjs';
import {
  finish,
  KEYS,
  load,
  loadCommonJs,
  NON_ASCII,
  PEM,
  RESERVED,
  recordAll,
  toMessage,
} from './isolated-requests.mjs';

const { apiKey, secret, passphrase, rsaPem } = KEYS;

// Clients log the empty responses as errors.
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'assert']) console[name] = () => {};

await recordBinance();
await recordBitgetRsa();
await recordBitmex();
await recordBitvavo();
await recordBybitRsa();
await recordGate();
await recordKucoin();
await recordMexc();
await recordPolymarket();
await recordCosmosClients();
finish();

async function recordBinance() {
  const { Spot } = await load('@binance/spot');
  const { buildWebsocketAPIMessage } = await load('@binance/common');
  const symbol = 'LTCBTC';
  const order = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: 0.1, quantity: 1 };
  for (const [preset, key, message] of [
    ['binance', { apiSecret: secret }, { preset: 'binance', rule: 'websocket' }],
    ['binance-ed25519', { privateKey: PEM }, { preset: 'binance-ed25519', rule: 'websocket' }],
    ['binance-rsa', { privateKey: rsaPem }, { preset: 'binance-rsa', rule: 'websocket' }],
  ]) {
    const source = '@binance/spot';
    const { restAPI } = new Spot({ configurationRestAPI: { apiKey, retries: 0, ...key } });
    await recordAll(
      { preset, source },
      {
        order: () => restAPI.newOrder(order),
        array: () => restAPI.sendSignedRequest('/api/v3/order', 'GET', { symbols: ['LTCBTC', 'BNBBTC'] }),
        reserved: () => restAPI.getOrder({ symbol, origClientOrderId: RESERVED }),
        parentheses: () => restAPI.getOrder({ symbol, origClientOrderId: "a!'()*" }),
        'non-ASCII': () => restAPI.getOrder({ symbol: NON_ASCII, orderId: 28 }),
      },
    );
    const build = (method, payload) => () =>
      toMessage(buildWebsocketAPIMessage({ apiKey, ...key }, method, payload, { isSigned: true }));
    await recordAll(
      { ...message, source },
      {
        order: build('order.place', order),
        logon: build('session.logon', {}),
        reserved: build('order.status', { symbol, origClientOrderId: RESERVED }),
        'non-ASCII': build('order.status', { symbol: NON_ASCII, orderId: 28 }),
      },
    );
  }
}

async function recordBitgetRsa() {
  const { RestClientV2, WebsocketClientV2, WS_KEY_MAP } = loadCommonJs('bitget-api');
  const options = { apiKey, apiSecret: rsaPem, apiPass: passphrase };
  const [client, socket] = [new RestClientV2(options), new WebsocketClientV2(options)];
  const about = { preset: 'bitget-rsa', source: 'bitget-api' };
  await recordAll(about, {
    order: () => client.spotSubmitOrder({ symbol: NON_ASCII, side: 'buy', orderType: 'limit', price: '1', size: '1' }),
    query: () => client.getSpotAccountAssets({ limit: '100', coin: 'BTC' }),
    reserved: () => client.getSpotOrder({ clientOid: RESERVED }),
  });
  const login = async () => toMessage(await socket.getWsAuthRequestEvent(WS_KEY_MAP.v2Private));
  await recordAll({ ...about, rule: 'login' }, { login });
}

async function recordBybitRsa() {
  const { WebsocketClient, WS_KEY_MAP } = loadCommonJs('bybit-api');
  const socket = new WebsocketClient({ key: apiKey, secret: rsaPem });
  const login = async () => toMessage(await socket.getWsAuthRequestEvent(WS_KEY_MAP.v5Private));
  await recordAll({ preset: 'bybit-rsa', rule: 'login', source: 'bybit-api', values: { apiKey } }, { login });
}

async function recordBitmex() {
  const { BitmexAPI } = loadCommonJs('bitmex-node');
  const client = new BitmexAPI({ apiKeyID: apiKey, apiKeySecret: secret });
  await recordAll(
    { preset: 'bitmex', source: 'bitmex-node' },
    {
      order: () => client.Order.new({ symbol: 'XBTUSD', side: 'Buy', orderQty: 1, price: 590 }),
      reserved: () => client.Order.getOrders({ symbol: RESERVED }),
      'non-ASCII': () => client.Order.getOrders({ symbol: NON_ASCII }),
    },
  );
}

async function recordBitvavo() {
  const client = loadCommonJs('bitvavo')();
  client.options({ APIKEY: apiKey, APISECRET: secret });
  await recordAll(
    { preset: 'bitvavo', source: 'bitvavo' },
    {
      order: () => client.placeOrder('BTC-EUR', 'buy', 'limit', { amount: '1', price: '3000' }),
      reserved: () => client.getOrder('BTC-EUR', { clientOrderId: RESERVED }),
      'non-ASCII': () => client.getOrders(NON_ASCII, {}),
    },
  );
}

async function recordGate() {
  const { ApiClient, Order, SpotApi } = loadCommonJs('gate-api');
  const client = new ApiClient();
  client.setApiKeySecret(apiKey, secret);
  const spot = new SpotApi(client);
  const order = Object.assign(new Order(), { currencyPair: NON_ASCII, side: 'buy', amount: '1', price: '1' });
  await recordAll(
    { preset: 'gate', source: 'gate-api' },
    {
      order: () => spot.createOrder(order, {}),
      batch: () => spot.createBatchOrders([order], {}),
      reserved: () => spot.listMyTrades({ currencyPair: RESERVED }),
      'non-ASCII': () => spot.listMyTrades({ currencyPair: NON_ASCII }),
    },
  );
}

async function recordKucoin() {
  const sdk = loadCommonJs('kucoin-universal-sdk');
  const option = new sdk.ClientOptionBuilder()
    .setKey(apiKey)
    .setSecret(secret)
    .setPassphrase(passphrase)
    .setSpotEndpoint(sdk.GlobalApiEndpoint)
    .setFuturesEndpoint(sdk.GlobalFuturesApiEndpoint)
    .setTransportOption(new sdk.TransportOptionBuilder().setMaxRetries(1).setKeepAlive(false).build())
    .build();
  const orders = new sdk.DefaultClient(option).restService().getSpotService().getOrderApi();
  const { AddOrderReq, GetOpenOrdersReq } = sdk.Spot.Order;
  const order = { clientOid: 'c1', side: 'buy', symbol: NON_ASCII, type: 'limit', price: '1', size: '1' };
  await recordAll(
    { preset: 'kucoin', source: 'kucoin-universal-sdk' },
    {
      order: () => orders.addOrder(AddOrderReq.create(order)),
      reserved: () => orders.getOpenOrders(GetOpenOrdersReq.create({ symbol: RESERVED })),
      'non-ASCII': () => orders.getOpenOrders(GetOpenOrdersReq.create({ symbol: NON_ASCII })),
    },
  );
}

async function recordMexc() {
  let sent;
  // It sends from a process of its own.
  loadCommonJs.cache[loadCommonJs.resolve('sync-request', { paths: [loadCommonJs.resolve('mexc-api-sdk')] })] = {
    loaded: true,
    exports: {
      default: (method, url, { headers }) => {
        sent = { method, url, headers, body: '' };
        return { getBody: () => '{}' };
      },
    },
  };
  const { Spot } = loadCommonJs('mexc-api-sdk');
  const client = new Spot(apiKey, secret);
  const sending = (call) => () => {
    call();
    return sent;
  };
  await recordAll(
    { preset: 'mexc', source: 'mexc-api-sdk' },
    {
      order: sending(() => client.newOrder('BTCUSDT', 'BUY', 'LIMIT', { price: '11', quantity: '1' })),
      reserved: sending(() => client.queryOrder('BTCUSDT', { origClientOrderId: RESERVED })),
      'non-ASCII': sending(() => client.queryOrder(NON_ASCII, { orderId: '28' })),
    },
  );
}

async function recordPolymarket() {
  const { ClobClient } = await load('@polymarket/clob-client');
  // Only its address is in L2 headers.
  const wallet = { account: { address: `0x${'11'.repeat(20)}` }, signTypedData: async () => '0x' };
  const credentials = { key: apiKey, secret: KEYS.base64Secret, passphrase };
  const client = new ClobClient('https://clob.polymarket.com', 137, wallet, credentials);
  const market = `0x${'2'.repeat(64)}`;
  await recordAll(
    { preset: 'polymarket', source: '@polymarket/clob-client' },
    {
      'market cancel': () => client.cancelMarketOrders({ market: NON_ASCII }),
      'batch cancel': () => client.cancelOrders(['0x28', '0x29']),
      'no parameters': () => client.cancelAll(),
      reserved: () => client.getTrades({ market, before: RESERVED }, true),
    },
  );
}
