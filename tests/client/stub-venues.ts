import { createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { keccak256, SigningKey } from 'ethers/crypto';
import { verifyTypedData } from 'ethers/hash';
import { computeAddress } from 'ethers/transaction';
import { getBytes } from 'ethers/utils';
import type { Step } from './scripted-server.ts';

/* Venues that verify an order as they do, independently of the code of the service. */

interface StubVenue {
  /** The account's key file, by the preset of its platform. */
  readonly keys: { readonly [preset: string]: string };
  /** Fixed values of the account. */
  readonly values?: readonly string[];
  /** What only the caller has. */
  readonly environment: { readonly [name: string]: string };
  /** Throws for an order that the venue would refuse; otherwise returns its response. */
  readonly take: (request: SentRequest) => object;
}

/** A request as it arrived. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: string;
}

const API_KEY = 'the-api-key';
const PASSPHRASE = 'the "passphrase"';
const SECRET = 'the-secret';
const DECODED_SECRET = Buffer.alloc(32, 0xfb);

function expectOrder({ method, target, headers }: SentRequest, path: string, type: string): void {
  expect([method, target, headers['content-type']]).to.deep.equal(['POST', path, type]);
}

function expectRecent(milliseconds: number): void {
  expect(milliseconds).to.be.within(Date.now() - 60_000, Date.now() + 1000);
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const okx: StubVenue = {
  keys: { okx: SECRET },
  environment: { API_KEY, PASSPHRASE },
  take(request) {
    const path = '/api/v5/trade/order';
    expectOrder(request, path, JSON_TYPE);
    const timestamp = String(request.headers['ok-access-timestamp']);
    expect(timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expectRecent(Date.parse(timestamp));
    expect(request.headers).to.include({
      ...{ 'ok-access-key': API_KEY, 'ok-access-passphrase': PASSPHRASE },
      'ok-access-sign': createHmac('sha256', SECRET).update(`${timestamp}POST${path}${request.body}`).digest('base64'),
    });
    expect(JSON.parse(request.body)).to.deep.equal({
      ...{ instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '50000', sz: '0.001' },
    });
    return { code: '0', data: [{ ordId: '1' }] };
  },
};

const binance: StubVenue = {
  keys: { binance: SECRET },
  environment: { API_KEY },
  take({ method, target, headers, body }) {
    const { pathname, search } = new URL(target, 'http://binance');
    expect([method, pathname, headers['x-mbx-apikey']]).to.deep.equal(['POST', '/api/v3/order', API_KEY]);
    if (body !== '') expect(headers['content-type']).to.equal(FORM_TYPE);
    // The venue takes parameters in the query or in a form.
    const [, signed = '', signature] = /^\??(.*)&signature=(\w+)$/.exec(search + body) ?? [];
    expect(signature).to.equal(createHmac('sha256', SECRET).update(signed).digest('hex'));
    const { timestamp, ...order } = Object.fromEntries(new URLSearchParams(signed));
    expectRecent(Number(timestamp));
    expect(order).to.deep.equal({
      ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price: '50000' },
    });
    return { orderId: 1 };
  },
};

const kraken: StubVenue = {
  keys: { kraken: DECODED_SECRET.toString('base64') },
  environment: { API_KEY },
  take(request) {
    const path = '/0/private/AddOrder';
    expectOrder(request, path, FORM_TYPE);
    const { nonce = '', ...order } = Object.fromEntries(new URLSearchParams(request.body));
    expectRecent(Number(nonce));
    const hash = createHash('sha256').update(nonce + request.body);
    const mac = createHmac('sha512', DECODED_SECRET).update(path).update(hash.digest()).digest('base64');
    expect(request.headers).to.include({ 'api-key': API_KEY, 'api-sign': mac });
    expect(order).to.deep.equal({
      ...{ pair: 'XBTUSD', type: 'buy', ordertype: 'limit', price: '50000', volume: '0.001' },
    });
    return { error: [], result: { txid: ['1'] } };
  },
};

const COINBASE_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY_NAME = 'organizations/o/apiKeys/k';

const coinbase: StubVenue = {
  keys: { coinbase: COINBASE_KEY.privateKey.export({ type: 'sec1', format: 'pem' }).toString() },
  values: [`keyName=${KEY_NAME}`],
  environment: {},
  take(request) {
    const path = '/api/v3/brokerage/orders';
    expectOrder(request, path, JSON_TYPE);
    const [, head = '', claims = '', mac = ''] =
      /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(String(request.headers['authorization'])) ?? [];
    const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
    const key = { key: COINBASE_KEY.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(mac, 'base64url'))).to.equal(true);
    expect(decode(head)).to.include({ alg: 'ES256', kid: KEY_NAME }).and.to.have.property('nonce').of.length.above(8);
    const { nbf, exp, ...others } = decode(claims);
    expect(others).to.deep.equal({ sub: KEY_NAME, iss: 'cdp', uri: `POST api.coinbase.com${path}` });
    expectRecent(nbf * 1000);
    expect(exp - nbf).to.equal(120);
    const { client_order_id: id, ...order } = JSON.parse(request.body);
    expect(id).to.have.length.above(16);
    expect(order).to.deep.equal({
      ...{ product_id: 'BTC-USD', side: 'BUY' },
      order_configuration: { limit_limit_gtc: { base_size: '0.001', limit_price: '50000' } },
    });
    return { success: true, success_response: { order_id: '1' } };
  },
};

const AGENT_KEY = '11'.repeat(32);

const hyperliquid: StubVenue = {
  keys: { hyperliquid: AGENT_KEY },
  environment: {},
  take(request) {
    expectOrder(request, '/exchange', JSON_TYPE);
    const { action, nonce, signature, ...others } = JSON.parse(request.body);
    expect(others).to.deep.equal({});
    expectRecent(nonce);
    const suffix = Buffer.alloc(9);
    suffix.writeBigUInt64BE(BigInt(nonce));
    const connectionId = keccak256(Buffer.concat([encode(action), suffix]));
    const domain = { name: 'Exchange', version: '1', chainId: 1337, verifyingContract: `0x${'0'.repeat(40)}` };
    const fields = [
      { name: 'source', type: 'string' },
      { name: 'connectionId', type: 'bytes32' },
    ];
    const { r, s, v } = signature;
    const padded = [r, s].map((hex: string) => hex.slice(2).padStart(64, '0')).join('');
    const agent = verifyTypedData(
      domain,
      { Agent: fields },
      { source: 'a', connectionId },
      `0x${padded}${v.toString(16)}`,
    );
    expect(agent).to.equal(computeAddress(`0x${AGENT_KEY}`));
    const order = { a: 0, b: true, p: '50000', s: '0.001', r: false, t: { limit: { tif: 'Gtc' } } };
    expect(action).to.deep.equal({ type: 'order', orders: [order], grouping: 'na' });
    return { status: 'ok' };
  },
};

/** Key and address of dydxprotocol/v4-clients, v4-client-js/examples/constants.ts. */
const DYDX_KEY = new SigningKey('0xe92a6595c934c991d3b3e987ea9b3125bf61a076deab3a9cb519787b7b3e8d77');
const DYDX_ADDRESS = 'dydx14zzueazeh0hj67cghhf9jypslcf9sh2n5k6art';

const dydx: StubVenue = {
  keys: { dydx: DYDX_KEY.privateKey.slice(2) },
  environment: { ADDRESS: DYDX_ADDRESS },
  take(request) {
    if (request.method === 'GET') {
      expect(request.target).to.equal(`/cosmos/auth/v1beta1/accounts/${DYDX_ADDRESS}`);
      return { account: { address: DYDX_ADDRESS, account_number: '300', sequence: '129' } };
    }
    expectOrder(request, '/cosmos/tx/v1beta1/txs', JSON_TYPE);
    const { tx_bytes, mode } = JSON.parse(request.body);
    expect(mode).to.equal('BROADCAST_MODE_SYNC');
    const { 1: body, 2: authInfo, 3: signature } = readFields(Buffer.from(tx_bytes, 'base64'));
    const signDoc = Buffer.concat([
      ...[lengthDelimited(1, body), lengthDelimited(2, authInfo), lengthDelimited(3, Buffer.from('dydx-mainnet-1'))],
      Buffer.from([0x20, 0xac, 0x02]),
    ]);
    const point = getBytes(DYDX_KEY.publicKey);
    const [x = '', y = ''] = [point.slice(1, 33), point.slice(33)].map((half) =>
      Buffer.from(half).toString('base64url'),
    );
    const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' });
    expect(verify('sha256', signDoc, { key, dsaEncoding: 'ieee-p1363' }, asBytes(signature))).to.equal(true);

    const signer = readFields(asBytes(readFields(asBytes(authInfo))[1]));
    const anyKey = readFields(asBytes(signer[1]));
    expect(asBytes(anyKey[1]).toString()).to.equal('/cosmos.crypto.secp256k1.PubKey');
    expect(asBytes(readFields(asBytes(anyKey[2]))[1]).toString('hex')).to.equal(DYDX_KEY.compressedPublicKey.slice(2));
    expect([readFields(asBytes(readFields(asBytes(signer[2]))[1]))[1], signer[3]]).to.deep.equal([1n, 129n]);

    const message = readFields(asBytes(readFields(asBytes(body))[1]));
    expect(asBytes(message[1]).toString()).to.equal('/dydxprotocol.clob.MsgPlaceOrder');
    const { 1: orderId, 6: goodUntil, ...order } = readFields(asBytes(readFields(asBytes(message[2]))[1]));
    expect(order).to.deep.equal({ 2: 1n, 3: 10_000_000n, 4: 5_000_000_000n });
    expectRecent(asBytes(goodUntil).readUInt32LE() * 1000 - 3_600_000);
    const { 1: subaccount, 3: flags } = readFields(asBytes(orderId));
    expect(asBytes(readFields(asBytes(subaccount))[1]).toString()).to.equal(DYDX_ADDRESS);
    expect(flags).to.equal(64n);
    return { tx_response: { code: 0, txhash: '1' } };
  },
};

const WALLET_KEY = '22'.repeat(32);
const WALLET = computeAddress(`0x${WALLET_KEY}`);
const TOKEN_ID = '71321045679252212594626385532706912750332728571942532289631379312455583992563';

/** https://docs.polymarket.com/v2-migration */
const ORDER_TYPE =
  'uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder';

const polymarket: StubVenue = {
  keys: { 'polymarket-order': WALLET_KEY, polymarket: DECODED_SECRET.toString('base64url') },
  environment: { API_KEY, PASSPHRASE, TOKEN_ID },
  take(request) {
    expectOrder(request, '/order', JSON_TYPE);
    const timestamp = String(request.headers['poly_timestamp']);
    expectRecent(Number(timestamp) * 1000);
    const mac = createHmac('sha256', DECODED_SECRET).update(`${timestamp}POST/order${request.body}`).digest('base64');
    expect(request.headers).to.include({
      ...{ poly_address: WALLET, poly_api_key: API_KEY, poly_passphrase: PASSPHRASE },
      poly_signature: mac.replaceAll('+', '-').replaceAll('/', '_'),
    });
    const { order, owner, orderType } = JSON.parse(request.body);
    expect([owner, orderType, order.side, order.expiration]).to.deep.equal([API_KEY, 'GTC', 'BUY', '0']);
    expect([typeof order.salt, order.signatureType]).to.deep.equal(['number', 0]);
    expect(order).to.include({ maker: WALLET, signer: WALLET, tokenId: TOKEN_ID });
    expect(order).to.include({ makerAmount: '10000000', takerAmount: '1000000000' });
    const fields = ORDER_TYPE.split(',').map((field) => {
      const [type = '', name = ''] = field.split(' ');
      return { type, name };
    });
    const domain = {
      ...{ name: 'Polymarket CTF Exchange', version: '2', chainId: 137 },
      verifyingContract: '0xE111180000d2663C0091e4f400237545B87B996B',
    };
    expect(verifyTypedData(domain, { Order: fields }, { ...order, side: 0 }, order.signature)).to.equal(WALLET);
    return { success: true, orderID: '0x1' };
  },
};

/** By the name that the programs give the venue. */
export const STUB_VENUES: { readonly [name: string]: StubVenue } = {
  ...{ okx, binance, kraken, coinbase, hyperliquid, dydx, polymarket },
};

/** Responds as a venue: 200 if it takes the request, else 401 with the reason. */
export function asVenue({ take }: StubVenue): Step {
  return (response, request) => {
    try {
      const taken = JSON.stringify(take(request));
      response.writeHead(200, { 'Content-Type': JSON_TYPE });
      response.end(taken);
    } catch (error) {
      response.writeHead(401);
      response.end(String(error));
    }
  };
}

/** Fields of a protocol buffer, of which each is there once: varints, else bytes. */
function readFields(message: Buffer): { readonly [field: number]: bigint | Buffer } {
  const fields: { [field: number]: bigint | Buffer } = {};
  let at = 0;
  const readVarint = (): bigint => {
    const byte = message[at++] ?? expect.fail('The message is truncated.');
    return byte < 128 ? BigInt(byte) : BigInt(byte - 128) + 128n * readVarint();
  };
  while (at < message.length) {
    const tag = Number(readVarint());
    const [field, type] = [tag >> 3, tag & 7];
    expect(fields).to.not.have.property(String(field));
    if (type === 0) {
      fields[field] = readVarint();
    } else {
      const length = type === 5 ? 4 : Number(readVarint());
      fields[field] = message.subarray(at, at + length);
      at += length;
    }
  }
  return fields;
}

function asBytes(field: bigint | Buffer | undefined): Buffer {
  return Buffer.isBuffer(field) ? field : expect.fail('A field of the message is missing.');
}

function lengthDelimited(field: number, value: bigint | Buffer | undefined): Buffer {
  const bytes = asBytes(value);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length % 128) + 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), bytes]);
}
