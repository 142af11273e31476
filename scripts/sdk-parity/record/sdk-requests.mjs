/*
 * Requests that the venues' own clients and widely used ones sign and try to send. Arguments: file
 * for the records, keys as JSON.
 */
import { createRequire } from 'node:module';
import { recordBinanceClients } from './binance-clients.mjs';
import { recordCosmosClients } from './cosmos-clients.mjs';
import { recordHyperliquidClients } from './hyperliquid-clients.mjs';
import { finish, recordAll } from './isolated-requests.mjs';
import { recordKeyClients } from './key-clients.mjs';
import { AMPERSAND, KEYS, NON_ASCII, RESERVED } from './requests.mjs';

/** By name: no dependencies of this repository. */
const loadCommonJs = createRequire(import.meta.url);

const { apiKey, secret, passphrase } = KEYS;

// Clients log the empty responses as errors.
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'assert']) console[name] = () => {};

await recordBinanceClients();
await recordBybit();
await recordOkx();
await recordBitget();
await recordKucoin();
await recordGate();
await recordGateOfSiebly();
await recordKraken();
await recordMexc();
await recordBitvavo();
await recordBitmex();
await recordHyperliquidClients();
await recordKeyClients();
await recordCosmosClients();
finish();

async function recordBybit() {
  const { RestClientV5 } = loadCommonJs('bybit-api');
  const client = new RestClientV5({ key: apiKey, secret, enable_time_sync: false });
  const order = { symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit', qty: '0.01', price: '25000' };
  await recordAll(
    { preset: 'bybit', source: 'bybit-api', values: { apiKey } },
    {
      order: () => client.submitOrder({ category: 'linear', ...order }),
      cancel: () => client.cancelOrder({ category: 'linear', symbol: 'BTCUSDT', orderId: '28' }),
      batch: () => client.batchSubmitOrders('linear', [order]),
      withdrawal: () => client.submitWithdrawal({ coin: 'BTC', address: 'bc1qtest', amount: '1', timestamp: 1 }),
      query: () => client.getActiveOrders({ category: 'linear', symbol: 'BTCUSDT' }),
      reserved: () => client.getActiveOrders({ category: 'linear', orderLinkId: RESERVED }),
      ampersand: () => client.getActiveOrders({ category: 'linear', orderLinkId: AMPERSAND }),
      'non-ASCII': () => client.getActiveOrders({ category: 'linear', symbol: NON_ASCII }),
      'non-ASCII body': () => client.submitOrder({ category: 'linear', ...order, symbol: NON_ASCII }),
    },
  );
}

async function recordOkx() {
  const { RestClient } = loadCommonJs('okx-api');
  const client = new RestClient({ apiKey, apiSecret: secret, apiPass: passphrase });
  const order = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '2.15', sz: '2' };
  await recordAll(
    { preset: 'okx', source: 'okx-api' },
    {
      order: () => client.submitOrder(order),
      cancel: () => client.cancelOrder({ instId: 'BTC-USDT', ordId: '28' }),
      batch: () => client.submitMultipleOrders([order]),
      withdrawal: () => client.submitWithdraw({ ccy: 'BTC', toAddr: 'bc1qtest', amt: '1', dest: '4' }),
      query: () => client.getOrderDetails({ instId: 'BTC-USDT', ordId: '28' }),
      reserved: () => client.getOrderDetails({ instId: 'BTC-USDT', clOrdId: RESERVED }),
      ampersand: () => client.getOrderDetails({ instId: 'BTC-USDT', clOrdId: AMPERSAND }),
      'non-ASCII': () => client.getOrderDetails({ instId: NON_ASCII, ordId: '28' }),
      'non-ASCII body': () => client.cancelOrder({ instId: NON_ASCII, ordId: '28' }),
    },
  );
}

async function recordBitget() {
  const { RestClientV2 } = loadCommonJs('bitget-api');
  const client = new RestClientV2({ apiKey, apiSecret: secret, apiPass: passphrase });
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '1', size: '1' };
  await recordAll(
    { preset: 'bitget', source: 'bitget-api' },
    {
      order: () => client.spotSubmitOrder(order),
      cancel: () => client.spotCancelOrder({ symbol: 'BTCUSDT', orderId: '28' }),
      batch: () => client.spotBatchSubmitOrders({ symbol: 'BTCUSDT', orderList: [order] }),
      withdrawal: () => client.spotWithdraw({ coin: 'BTC', transferType: 'on_chain', address: 'bc1qtest', size: '1' }),
      query: () => client.getSpotAccountAssets({ limit: '100', coin: 'BTC' }),
      reserved: () => client.getSpotOrder({ clientOid: RESERVED }),
      'non-ASCII': () => client.getSpotOpenOrders({ symbol: NON_ASCII }),
      'non-ASCII body': () => client.spotSubmitOrder({ ...order, symbol: NON_ASCII }),
    },
  );
}

async function recordKucoin() {
  const sdk = loadCommonJs('kucoin-universal-sdk');
  const { Account, ClientOptionBuilder, DefaultClient, Spot, TransportOptionBuilder } = sdk;
  const option = new ClientOptionBuilder()
    .setKey(apiKey)
    .setSecret(secret)
    .setPassphrase(passphrase)
    .setSpotEndpoint(sdk.GlobalApiEndpoint)
    .setFuturesEndpoint(sdk.GlobalFuturesApiEndpoint)
    .setTransportOption(new TransportOptionBuilder().setMaxRetries(1).setKeepAlive(false).build())
    .build();
  const service = new DefaultClient(option).restService();
  const orders = service.getSpotService().getOrderApi();
  const withdrawals = service.getAccountService().getWithdrawalApi();
  const order = { clientOid: 'c1', side: 'buy', symbol: 'BTC-USDT', type: 'limit', price: '1', size: '1' };
  await recordAll(
    { preset: 'kucoin', source: 'kucoin-universal-sdk' },
    {
      order: () => orders.addOrder(Spot.Order.AddOrderReq.create(order)),
      cancel: () =>
        orders.cancelOrderByOrderId(Spot.Order.CancelOrderByOrderIdReq.create({ orderId: '28', symbol: 'BTC-USDT' })),
      batch: () => orders.batchAddOrders(Spot.Order.BatchAddOrdersReq.create({ orderList: [order] })),
      withdrawal: () =>
        withdrawals.withdrawalV3(
          Account.Withdrawal.WithdrawalV3Req.create({
            currency: 'BTC',
            amount: '1',
            toAddress: 'bc1qtest',
            withdrawType: 'ADDRESS',
          }),
        ),
      reserved: () => orders.getOpenOrders(Spot.Order.GetOpenOrdersReq.create({ symbol: RESERVED })),
      'non-ASCII': () => orders.getOpenOrders(Spot.Order.GetOpenOrdersReq.create({ symbol: NON_ASCII })),
      'non-ASCII body': () => orders.addOrder(Spot.Order.AddOrderReq.create({ ...order, symbol: NON_ASCII })),
    },
  );
}

async function recordGate() {
  const { ApiClient, Order, SpotApi, WithdrawalApi } = loadCommonJs('gate-api');
  const client = new ApiClient();
  client.setApiKeySecret(apiKey, secret);
  const spot = new SpotApi(client);
  const order = Object.assign(new Order(), {
    currencyPair: 'BTC_USDT',
    side: 'buy',
    amount: '1',
    price: '1',
    text: 't-c1',
  });
  await recordAll(
    { preset: 'gate', source: 'gate-api' },
    {
      order: () => spot.createOrder(order, {}),
      cancel: () => spot.cancelOrder('28', 'BTC_USDT', {}),
      batch: () => spot.createBatchOrders([order], {}),
      withdrawal: () =>
        new WithdrawalApi(client).withdraw({ currency: 'BTC', address: 'bc1qtest', amount: '1', chain: 'BTC' }),
      query: () => spot.listOrders('BTC_USDT', 'open', { limit: 50 }),
      reserved: () => spot.listMyTrades({ currencyPair: RESERVED }),
      'non-ASCII': () => spot.listMyTrades({ currencyPair: NON_ASCII }),
      'non-ASCII body': () => spot.createOrder(Object.assign(new Order(), order, { currencyPair: NON_ASCII }), {}),
    },
  );
}

async function recordGateOfSiebly() {
  const { RestClient } = loadCommonJs('gateio-api');
  const client = new RestClient({ apiKey, apiSecret: secret });
  const order = { currency_pair: 'BTC_USDT', side: 'buy', amount: '1', price: '1', text: 't-c1' };
  await recordAll(
    { preset: 'gate', source: 'gateio-api' },
    {
      order: () => client.submitSpotOrder(order),
      cancel: () => client.cancelSpotOrder({ order_id: '28', currency_pair: 'BTC_USDT' }),
      batch: () => client.submitSpotBatchOrders([order]),
      withdrawal: () => client.submitWithdrawal({ currency: 'BTC', address: 'bc1qtest', amount: '1', chain: 'BTC' }),
      query: () => client.getSpotOrders({ currency_pair: 'BTC_USDT', status: 'open' }),
      reserved: () => client.getSpotTradingHistory({ currency_pair: RESERVED }),
      'non-ASCII': () => client.getSpotTradingHistory({ currency_pair: NON_ASCII }),
      'non-ASCII body': () => client.submitSpotOrder({ ...order, currency_pair: NON_ASCII }),
    },
  );
}

async function recordKraken() {
  const KrakenClient = loadCommonJs('kraken-api');
  const client = new KrakenClient(apiKey, KEYS.base64Secret);
  await recordAll(
    { preset: 'kraken', source: 'kraken-api' },
    {
      order: () => client.api('AddOrder', { pair: 'XBTUSD', type: 'buy', ordertype: 'limit', price: '1', volume: '1' }),
      cancel: () => client.api('CancelOrder', { txid: 'OU22CG-KLAF2-FWUDD7' }),
      withdrawal: () => client.api('Withdraw', { asset: 'XBT', key: 'btc-wallet', amount: '1' }),
      reserved: () => client.api('Withdraw', { asset: 'XBT', key: RESERVED, amount: '1' }),
      ampersand: () => client.api('Withdraw', { asset: 'XBT', key: AMPERSAND, amount: '1' }),
      'non-ASCII': () => client.api('Withdraw', { asset: 'XBT', key: NON_ASCII, amount: '1' }),
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
      cancel: sending(() => client.cancelOrder('BTCUSDT', { orderId: '28' })),
      withdrawal: sending(() =>
        client.signRequest('POST', '/capital/withdraw', { coin: 'BTC', address: 'bc1qtest', amount: '1' }),
      ),
      reserved: sending(() => client.queryOrder('BTCUSDT', { origClientOrderId: RESERVED })),
      ampersand: sending(() => client.queryOrder('BTCUSDT', { origClientOrderId: AMPERSAND })),
      'non-ASCII': sending(() => client.queryOrder(NON_ASCII, { orderId: '28' })),
    },
  );
}

async function recordBitvavo() {
  const create = loadCommonJs('bitvavo');
  const client = create();
  client.options({ APIKEY: apiKey, APISECRET: secret });
  await recordAll(
    { preset: 'bitvavo', source: 'bitvavo' },
    {
      order: () => client.placeOrder('BTC-EUR', 'buy', 'limit', { amount: '1', price: '3000' }),
      cancel: () => client.cancelOrder('BTC-EUR', '28'),
      withdrawal: () => client.withdrawAssets('BTC', '1', 'bc1qtest', {}),
      query: () => client.getOrders('BTC-EUR', { limit: 10 }),
      reserved: () => client.getOrder('BTC-EUR', { clientOrderId: RESERVED }),
      ampersand: () => client.getOrder('BTC-EUR', { clientOrderId: AMPERSAND }),
      'non-ASCII': () => client.getOrders(NON_ASCII, {}),
    },
  );
}

async function recordBitmex() {
  const { BitmexAPI } = loadCommonJs('bitmex-node');
  const client = new BitmexAPI({ apiKeyID: apiKey, apiKeySecret: secret });
  await recordAll(
    { preset: 'bitmex', source: 'bitmex-node' },
    {
      order: () => client.Order.new({ symbol: 'XBTUSD', side: 'Buy', orderQty: 1, price: 590 }),
      cancel: () => client.Order.cancel({ orderID: '28' }),
      withdrawal: () => client.User.requestWithdrawal({ currency: 'XBt', amount: 1, address: 'bc1qtest' }),
      query: () => client.Order.getOrders({ symbol: 'XBTUSD', count: 10 }),
      reserved: () => client.Order.getOrders({ symbol: RESERVED }),
      ampersand: () => client.Order.getOrders({ symbol: AMPERSAND }),
      'non-ASCII': () => client.Order.getOrders({ symbol: NON_ASCII }),
    },
  );
}
