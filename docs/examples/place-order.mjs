// Places a limit order, 0.001 BTC at 50,000: node place-order.mjs okx (docs/callers/clients.md).
// The platform has the venue's name, the account is main. What only you have is read from the
// environment: API_KEY for {apiKey}, PASSPHRASE. VENUE_ORIGIN replaces https://www.okx.com.
import { randomBytes, randomUUID } from 'node:crypto';
import { fillRequest, SigningClient, sendRequest } from 'signing-service/client';

const { SIGNER_URL = 'http://127.0.0.1:8080', VENUE_ORIGIN, ADDRESS, TOKEN_ID } = process.env;
const client = new SigningClient({ url: SIGNER_URL });
const now = Date.now();
const seconds = Math.floor(now / 1000);

/** What each venue signs, and values that it does not sign. */
const ORDERS = {
  okx: () => ({
    data: {
      ...{ method: 'POST', path: '/api/v5/trade/order', timestamp: new Date(now).toISOString() },
      body: { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '50000', sz: '0.001' },
    },
  }),
  binance: () => ({
    data: {
      ...{ method: 'POST', path: '/api/v3/order' },
      params: {
        ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price: '50000' },
        timestamp: now,
      },
    },
  }),
  kraken: () => ({
    data: {
      path: '/0/private/AddOrder',
      body: { nonce: String(now), pair: 'XBTUSD', type: 'buy', ordertype: 'limit', price: '50000', volume: '0.001' },
    },
  }),
  coinbase: () => ({
    data: {
      ...{ method: 'POST', path: '/api/v3/brokerage/orders' },
      ...{ timestamp: seconds, nonce: randomBytes(16).toString('hex') },
    },
    values: {
      body: JSON.stringify({
        ...{ client_order_id: randomUUID(), product_id: 'BTC-USD', side: 'BUY' },
        order_configuration: { limit_limit_gtc: { base_size: '0.001', limit_price: '50000' } },
      }),
    },
  }),
  hyperliquid: () => {
    const order = { a: 0, b: true, p: '50000', s: '0.001', r: false, t: { limit: { tif: 'Gtc' } } };
    return { data: { action: { type: 'order', orders: [order], grouping: 'na' }, nonce: now } };
  },
  dydx: async () => ({ data: { signDoc: await makeSignDoc() } }),
  polymarket: async () => {
    const { address } = await client.account({ platformId: 'polymarket-order', accountId: 'main' });
    const body = await signPolymarketOrder(address);
    return { data: { method: 'POST', path: '/order', timestamp: seconds, body }, values: { address } };
  },
};

const [venue] = process.argv.slice(2);
if (!Object.hasOwn(ORDERS, venue)) {
  process.stderr.write(`Usage: node place-order.mjs ${Object.keys(ORDERS).join('|')}\n`);
  process.exit(1);
}
const { data, values } = await ORDERS[venue]();
const request = await sign(venue, data);
const response = await sendRequest(request, getValues(request, values));
process.stdout.write(`${response.status} ${await response.text()}\n`);

async function sign(platformId, data) {
  const { request } = await client.sign({ platformId, accountId: 'main', data }, { includeRequest: true });
  if (VENUE_ORIGIN === undefined) return request;
  return { ...request, url: request.url.replace(/^https:\/\/[^/]+/, VENUE_ORIGIN) };
}

/** What is missing in the request: known, or in the environment. */
function getValues({ missing }, known = {}) {
  const variable = (name) => name.replace(/[A-Z]/g, '_$&').toUpperCase();
  return Object.fromEntries(missing.map((name) => [name, known[name] ?? process.env[variable(name)]]));
}

/** The body with an order that the wallet signs: 1,000 shares of TOKEN_ID at 1 cent. */
async function signPolymarketOrder(address) {
  const zeros = `0x${'0'.repeat(64)}`;
  const fields = {
    ...{ salt: 'uint256', maker: 'address', signer: 'address', tokenId: 'uint256', makerAmount: 'uint256' },
    ...{ takerAmount: 'uint256', side: 'uint8', signatureType: 'uint8', timestamp: 'uint256' },
    ...{ metadata: 'bytes32', builder: 'bytes32' },
  };
  const request = await sign('polymarket-order', {
    domain: {
      ...{ name: 'Polymarket CTF Exchange', version: '2', chainId: 137 },
      verifyingContract: '0xE111180000d2663C0091e4f400237545B87B996B',
    },
    types: { Order: Object.entries(fields).map(([name, type]) => ({ name, type })) },
    primaryType: 'Order',
    message: {
      ...{ salt: now, maker: address, signer: address, tokenId: TOKEN_ID, makerAmount: '10000000' },
      ...{ takerAmount: '1000000000', side: 0, signatureType: 0, timestamp: String(now) },
      ...{ metadata: zeros, builder: zeros },
    },
  });
  return fillRequest(request, getValues(request, { orderType: 'GTC', expiration: '0' })).body;
}

/** The SignDoc of an order by ADDRESS that is valid for an hour (long-term). */
async function makeSignDoc() {
  const node = VENUE_ORIGIN ?? 'https://dydx-ops-rest.kingnodes.com';
  const response = await fetch(`${node}/cosmos/auth/v1beta1/accounts/${ADDRESS}`);
  const { account } = await response.json();
  const { publicKey } = await client.account({ platformId: 'dydx', accountId: 'main' });

  const [longTerm, buy, quantums, subticks] = [64, 1, 10_000_000, 5_000_000_000];
  const id = bytes(1, bytes(1, bytes(1, ADDRESS)), fixed32(2, seconds), number(3, longTerm));
  const order = bytes(1, id, number(2, buy), number(3, quantums), number(4, subticks), fixed32(6, seconds + 3600));
  const body = any(1, '/dydxprotocol.clob.MsgPlaceOrder', order);

  const key = any(1, '/cosmos.crypto.secp256k1.PubKey', bytes(1, Buffer.from(publicKey, 'base64')));
  const direct = bytes(2, bytes(1, number(1, 1)));
  const signer = bytes(1, key, direct, number(3, account.sequence));
  const gas = bytes(2, number(2, 1_000_000));
  const chain = [bytes(3, 'dydx-mainnet-1'), number(4, account.account_number)];
  return Buffer.concat([bytes(1, body), bytes(2, signer, gas), ...chain]).toString('base64');
}

/* Fields of protocol buffers. */

function varint(value) {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A number; 0 is left out. */
function number(field, value) {
  return Buffer.from(Number(value) === 0 ? [] : [...varint(field * 8), ...varint(Number(value))]);
}

function fixed32(field, value) {
  const encoded = Buffer.alloc(5, field * 8 + 5);
  encoded.writeUInt32LE(value, 1);
  return encoded;
}

/** A text, or a message of these fields. */
function bytes(field, ...content) {
  const value = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.from([...varint(field * 8 + 2), ...varint(value.length), ...value]);
}

function any(field, type, message) {
  return bytes(field, bytes(1, type), bytes(2, message));
}
