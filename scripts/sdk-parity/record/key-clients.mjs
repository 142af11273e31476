import { createRequire } from 'node:module';
import { recordAll } from './isolated-requests.mjs';
import { AMPERSAND, COINBASE, KEYS, NON_ASCII, RESERVED } from './requests.mjs';

/** By name: no dependencies of this repository. */
const load = (name) => import(name);
const loadCommonJs = createRequire(import.meta.url);

const { apiKey, passphrase, rsaPem } = KEYS;

/** Clients with RSA keys and tokens, and Polymarket's own. */
export async function recordKeyClients() {
  await recordBybitRsa();
  await recordBitgetRsa();
  await recordCoinbase();
  await recordPolymarket();
}

async function recordBybitRsa() {
  const { RestClientV5, WebsocketClient, WS_KEY_MAP } = loadCommonJs('bybit-api');
  const client = new RestClientV5({ key: apiKey, secret: rsaPem, enable_time_sync: false });
  const order = { symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit', qty: '0.01', price: '25000' };
  const about = { preset: 'bybit-rsa', source: 'bybit-api', values: { apiKey } };
  const socket = new WebsocketClient({ key: apiKey, secret: rsaPem });
  await recordAll(
    { ...about, rule: 'login' },
    { login: async () => toMessage(await socket.getWsAuthRequestEvent(WS_KEY_MAP.v5Private)) },
  );
  await recordAll(about, {
    order: () => client.submitOrder({ category: 'linear', ...order }),
    cancel: () => client.cancelOrder({ category: 'linear', symbol: 'BTCUSDT', orderId: '28' }),
    batch: () => client.batchSubmitOrders('linear', [order]),
    query: () => client.getActiveOrders({ category: 'linear', symbol: 'BTCUSDT' }),
    reserved: () => client.getActiveOrders({ category: 'linear', orderLinkId: RESERVED }),
    'non-ASCII body': () => client.submitOrder({ category: 'linear', ...order, symbol: NON_ASCII }),
  });
}

async function recordBitgetRsa() {
  const { RestClientV2, WebsocketClientV2, WS_KEY_MAP } = loadCommonJs('bitget-api');
  const client = new RestClientV2({ apiKey, apiSecret: rsaPem, apiPass: passphrase });
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '1', size: '1' };
  const about = { preset: 'bitget-rsa', source: 'bitget-api' };
  const socket = new WebsocketClientV2({ apiKey, apiSecret: rsaPem, apiPass: passphrase });
  await recordAll(
    { ...about, rule: 'login' },
    { login: async () => toMessage(await socket.getWsAuthRequestEvent(WS_KEY_MAP.v2Private)) },
  );
  await recordAll(about, {
    order: () => client.spotSubmitOrder(order),
    cancel: () => client.spotCancelOrder({ symbol: 'BTCUSDT', orderId: '28' }),
    batch: () => client.spotBatchSubmitOrders({ symbol: 'BTCUSDT', orderList: [order] }),
    withdrawal: () => client.spotWithdraw({ coin: 'BTC', transferType: 'on_chain', address: 'bc1qtest', size: '1' }),
    query: () => client.getSpotAccountAssets({ limit: '100', coin: 'BTC' }),
    reserved: () => client.getSpotOrder({ clientOid: RESERVED }),
    'non-ASCII body': () => client.spotSubmitOrder({ ...order, symbol: NON_ASCII }),
  });
}

async function recordCoinbase() {
  const { CBAdvancedTradeClient, WebsocketClient } = loadCommonJs('coinbase-api');
  const { keyName } = COINBASE;
  const order = {
    client_order_id: 'c1',
    product_id: 'BTC-USD',
    side: 'BUY',
    order_configuration: { limit_limit_gtc: { base_size: '0.001', limit_price: '10000', post_only: false } },
  };
  for (const [preset, apiSecret] of [
    ['coinbase', KEYS.p256Pem],
    ['coinbase-ed25519', COINBASE.ed25519Secret],
  ]) {
    const options = { apiKey: keyName, apiSecret };
    const client = new CBAdvancedTradeClient(options);
    const about = { preset, source: 'coinbase-api', values: { keyName } };
    await recordAll(about, {
      order: () => client.submitOrder(order),
      cancel: () => client.cancelOrders({ order_ids: ['28'] }),
      query: () => client.getOrders({ product_ids: ['BTC-USD'], limit: 10 }),
      reserved: () => client.getOrders({ cursor: RESERVED }),
      ampersand: () => client.getOrders({ cursor: AMPERSAND }),
    });
    const socket = new WebsocketClient(options);
    await recordAll(
      { ...about, rule: 'websocket' },
      {
        subscription: async () => {
          const topic = { topic: 'user', payload: { product_ids: ['BTC-USD'] } };
          const [body] = await socket.getWsOperationEventsForTopics([topic], 'advTradeUserData', 'subscribe');
          return toMessage(JSON.parse(body));
        },
      },
    );
  }
}

async function recordPolymarket() {
  const { ClobClient, OrderType } = await load('@polymarket/clob-client');
  const address = `0x${'11'.repeat(20)}`;
  // Only its address is in L2 headers.
  const wallet = { account: { address }, signTypedData: async () => '0x' };
  const credentials = { key: apiKey, secret: KEYS.base64Secret, passphrase };
  const client = new ClobClient('https://clob.polymarket.com', 137, wallet, credentials);
  const order = {
    salt: '1700000000000',
    maker: address,
    signer: address,
    taker: `0x${'0'.repeat(40)}`,
    tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
    makerAmount: '1000000',
    takerAmount: '2000000',
    expiration: '0',
    nonce: '0',
    feeRateBps: '0',
    side: 0,
    signatureType: 0,
    signature: '0x',
  };
  const market = `0x${'2'.repeat(64)}`;
  await recordAll(
    { preset: 'polymarket', source: '@polymarket/clob-client' },
    {
      order: () => client.postOrder(order, OrderType.GTC),
      batch: () => client.postOrders([{ order, orderType: OrderType.GTC }]),
      cancel: () => client.cancelOrder({ orderID: '0x28' }),
      'batch cancel': () => client.cancelOrders(['0x28', '0x29']),
      'market cancel': () => client.cancelMarketOrders({ market }),
      'no parameters': () => client.cancelAll(),
      query: () => client.getOpenOrders({ market }, true),
      reserved: () => client.getTrades({ market, before: RESERVED }, true),
      'non-ASCII body': () => client.cancelMarketOrders({ market: NON_ASCII }),
    },
  );
}

function toMessage(message) {
  return { method: 'MESSAGE', url: 'https://unsent.invalid/', body: JSON.stringify(message) };
}
