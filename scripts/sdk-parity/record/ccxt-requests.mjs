/*
 * Requests that ccxt signs with `exchange.sign`, which sends nothing; messages that it signs apart
 * from it. Arguments: file for the records, keys as JSON.
 */
import { CCXT_VENUES } from './ccxt-venues.mjs';
import {
  addSigned,
  finish,
  KEYS,
  load,
  NON_ASCII,
  PEM,
  RESERVED,
  record,
  toMessage,
  toRequest,
} from './isolated-requests.mjs';

const { default: ccxt } = await load('ccxt');
const { default: ccxtOfAsterV1 } = await load('ccxt-aster-v1');

const NOW = 1_700_000_000_000;
const ADDRESS = `0x${'11'.repeat(20)}`;
const CREDENTIALS = {
  ...{ apiKey: KEYS.apiKey, secret: KEYS.secret, password: KEYS.passphrase, uid: 'test-uid' },
  ...{ privateKey: `0x${KEYS.ethereumKey}`, walletAddress: ADDRESS },
};

for (const { preset, rule, exchange: name, source, options, values, cases } of CCXT_VENUES) {
  const exchange = createExchange(name, options, source === 'ccxt' ? ccxt : ccxtOfAsterV1);
  for (const [kind, path, api, method, params] of cases) {
    await record({ preset, kind, source, ...(rule && { rule }), ...(values && { values }) }, () =>
      exchange.sign(path, api, method, structuredClone(params)),
    );
  }
}
await recordHyperliquid('hyperliquid', false);
await recordHyperliquid('hyperliquid-testnet', true);
await recordPacifica();
await recordParadex();
await recordLogins();
await recordBinanceMessages();
finish();

/** An exchange whose HMACs, and hashes of a text that ends with the secret, are observed. */
function createExchange(name, options = {}, exchanges = ccxt) {
  const exchange = new exchanges[name]({ ...CREDENTIALS, ...options });
  const { hmac, hash } = exchange;
  exchange.hmac = (request, ...rest) => {
    addSigned(request);
    return hmac.call(exchange, request, ...rest);
  };
  exchange.hash = (request, ...rest) => {
    const text = Buffer.from(request);
    const end = -KEYS.secret.length;
    if (text.subarray(end).equals(Buffer.from(KEYS.secret))) addSigned(text.subarray(0, end));
    return hash.call(exchange, request, ...rest);
  };
  return exchange;
}

async function recordHyperliquid(preset, isTestnet) {
  const exchange = createExchange('hyperliquid');
  if (isTestnet) exchange.setSandboxMode(true);
  const order = { a: 3, b: true, p: '1670.1', s: '0.0147', r: false, t: { limit: { tif: 'Ioc' } } };
  const vault = '1719884eb866cb12b2287399b15f7db5e7d775ea';
  for (const [kind, action, vaultAddress, expiresAfter] of [
    ['order', { type: 'order', orders: [order, { ...order, c: `0x${'0'.repeat(31)}1` }], grouping: 'na' }],
    ['non-ASCII', { type: 'createSubAccount', name: NON_ASCII }],
    ['vault and expiry', { type: 'cancel', cancels: [{ a: 3, o: 82382 }] }, vault, NOW + 60_000],
  ]) {
    await record({ preset, kind, source: 'ccxt' }, () => {
      const signature = exchange.signL1Action(action, NOW, vaultAddress, expiresAfter);
      const more = vaultAddress && { vaultAddress: `0x${vaultAddress}`, expiresAfter };
      return toRequest({ action, nonce: NOW, signature, ...more });
    });
  }
  if (isTestnet) return;
  const message = { hyperliquidChain: 'Mainnet', destination: `0x${'22'.repeat(20)}`, amount: '1', time: NOW };
  await record({ preset: 'hyperliquid', rule: 'user', kind: 'withdrawal', source: 'ccxt' }, () =>
    toRequest({
      action: { ...message, type: 'Withdraw', signatureChainId: '0x66eee' },
      signature: exchange.buildWithdrawSig(message),
    }),
  );
}

async function recordPacifica() {
  const exchange = createExchange('pacifica');
  const key = exchange.binaryToBase58(Buffer.from(KEYS.seed, 'hex'));
  const header = { timestamp: NOW, expiry_window: 5000 };
  const order = { symbol: NON_ASCII, price: '100000', amount: '0.1', side: 'bid', reduce_only: false };
  for (const [kind, type, data] of [
    ['order', 'create_order', { ...order, client_order_id: RESERVED }],
    ['batch', 'batch_orders', { actions: [{ type: 'Create', data: order }] }],
  ]) {
    await record({ preset: 'pacifica', kind, source: 'ccxt' }, () => {
      const signature = exchange.signMessage({ ...header, type }, data, key);
      return toRequest({ ...header, type, data, signature });
    });
  }
}

/**
 * About one of 180 signatures would differ: ccxt's library drops a zero byte of a nonce candidate
 * (RFC 6979). Choose other values then.
 */
async function recordParadex() {
  const account = { privateKey: `0x${KEYS.ethereumKey}`, publicKey: '0x1', address: `0x${'2'.repeat(63)}` };
  const systemConfig = { starknet_chain_id: 'PRIVATE_SN_PARACLEAR_MAINNET' };
  const order = { market: 'ETH-USD-PERP', side: 'BUY', type: 'LIMIT', size: '0.1', price: '1500' };
  for (const [kind, sign] of [
    ['order', (exchange) => exchange.signOrderRequest(order)],
    ['login', (exchange) => exchange.authenticateRest()],
    ['onboarding', (exchange) => exchange.onboarding()],
  ]) {
    const exchange = createExchange('paradex', { options: { paradexAccount: account, systemConfig } });
    await record({ preset: 'paradex', kind, source: 'ccxt', values: { address: account.address } }, () =>
      takeTypedData(exchange, sign),
    );
  }
}

/** What the client hashes for StarkNet, and its signature. */
function takeTypedData(exchange, sign) {
  return new Promise((resolve, reject) => {
    let typedData;
    const { starknetEncodeStructuredData, starknetSign } = exchange;
    exchange.starknetEncodeStructuredData = (domain, messageTypes, message, address) => {
      const [primaryType] = Object.keys(messageTypes);
      const StarkNetDomain = ['name', 'chainId', 'version'].map((name) => ({ name, type: 'felt' }));
      typedData = { domain, primaryType, types: { StarkNetDomain, ...messageTypes }, message };
      return starknetEncodeStructuredData.call(exchange, domain, messageTypes, message, address);
    };
    exchange.starknetSign = (...parts) => {
      const signature = starknetSign.apply(exchange, parts);
      resolve(toRequest({ ...typedData, signature }));
      return signature;
    };
    sign(exchange).catch(reject);
  });
}

/** Messages of WebSockets. */
async function recordLogins() {
  const gateUrl = 'wss://api.gateio.ws/ws/v4/';
  const gateOrder = { text: NON_ASCII, currency_pair: 'BTC_USDT', side: 'buy', amount: '1', price: '1' };
  const login = (argument) => (exchange) => exchange.authenticate(argument);
  for (const [preset, rule, kind, send, values] of [
    ['bitfinex', 'login', 'login', login()],
    ['bitget', 'login', 'login', login({ url: 'wss://ws.bitget.com/v2/ws/private' })],
    ['bitvavo', undefined, 'login', login()],
    ['bybit', 'login', 'login', login('wss://stream.bybit.com/v5/private'), { apiKey: KEYS.apiKey }],
    ['coinex', 'login', 'login', login('spot')],
    ['deribit', undefined, 'login', login()],
    [
      'gate',
      'websocket',
      'orders',
      (gate) => gate.subscribePrivate(gateUrl, 'orders', ['BTC_USDT'], 'spot.orders', {}),
    ],
    ['gate', 'websocket-api', 'login', (gate) => gate.authenticate(gateUrl, 'spot')],
    ['gate', 'websocket-api', 'order', (gate) => gate.requestPrivate(gateUrl, gateOrder, 'spot.order_place')],
    ['htx', undefined, 'login', login({ url: 'wss://api.huobi.pro/ws/v2', hostname: 'api.huobi.pro', type: 'spot' })],
    ['okx', 'login', 'login', login()],
    ['woo-v1', undefined, 'login', login()],
  ]) {
    const exchange = createExchange(preset.replace('-v1', ''), {}, ccxt.pro);
    const about = { preset, kind, source: 'ccxt', ...(rule && { rule }), ...(values && { values }) };
    await record(about, () => takeMessage(exchange, send));
  }
}

/** The message that a call would send; it then waits for a response. */
function takeMessage(exchange, send) {
  return new Promise((resolve, reject) => {
    exchange.watch = (url, _hash, message) => resolve(toMessage(message, url.replace('wss:', 'https:')));
    send(exchange).catch(reject);
  });
}

async function recordBinanceMessages() {
  for (const [preset, options] of [
    ['binance', {}],
    ['binance-ed25519', { secret: PEM }],
    ['binance-rsa', { secret: KEYS.rsaPem }],
  ]) {
    const exchange = createExchange('binance', options, ccxt.pro);
    for (const [kind, params] of [
      ['order', { symbol: 'LTCBTC', side: 'BUY', type: 'LIMIT', price: '0.1' }],
      ['reserved', { symbol: 'LTCBTC', origClientOrderId: RESERVED }],
      ['non-ASCII', { symbol: NON_ASCII, orderId: '28' }],
    ]) {
      const about = { preset, rule: 'websocket', kind, source: 'ccxt' };
      await record(about, () => toMessage({ params: exchange.signParams({ ...params }) }));
    }
  }
}
