/*
 * Requests that ccxt signs with `exchange.sign`, which sends nothing; for Hyperliquid, Pacifica,
 * transactions and WebSocket logins what it signs for them. Arguments: file for the records, keys
 * as JSON.
 */
import { CCXT_KEY_VENUES } from './ccxt-key-venues.mjs';
import { recordLogins } from './ccxt-logins.mjs';
import { recordTransactions } from './ccxt-transactions.mjs';
import { CCXT_VENUES } from './ccxt-venues.mjs';
import { addSigned, finish, record } from './isolated-requests.mjs';
import { KEYS, NON_ASCII, RESERVED } from './requests.mjs';

/** By name: no dependency of this repository. */
const load = (name) => import(name);
const { default: ccxt } = await load('ccxt');
const { default: ccxtOfAsterV1 } = await load('ccxt-aster-v1');

const CREDENTIALS = {
  apiKey: KEYS.apiKey,
  secret: KEYS.secret,
  password: KEYS.passphrase,
  uid: 'test-uid',
  privateKey: `0x${KEYS.ethereumKey}`,
  walletAddress: `0x${'11'.repeat(20)}`,
};

for (const { preset, rule, exchange: name = preset, source = 'ccxt', options, values, cases } of [
  ...CCXT_VENUES,
  ...CCXT_KEY_VENUES,
]) {
  const exchange = createExchange(name, options, source === 'ccxt' ? ccxt : ccxtOfAsterV1);
  for (const [kind, path, api, method, params] of cases) {
    const about = { preset, kind, source, ...(rule && { rule }), ...(values && { values }) };
    await record(about, () => exchange.sign(path, api, method, structuredClone(params)));
  }
}
await recordHyperliquid();
await recordPacifica();
await recordTransactions(createExchange);
await recordLogins((name, options) => createExchange(name, options, ccxt.pro));
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
    if (text.subarray(-KEYS.secret.length).equals(Buffer.from(KEYS.secret))) {
      addSigned(text.subarray(0, -KEYS.secret.length));
    }
    return hash.call(exchange, request, ...rest);
  };
  return exchange;
}

async function recordHyperliquid() {
  const nonce = 1_700_000_000_000;
  const order = { a: 3, b: true, p: '1670.1', s: '0.0147', r: false, t: { limit: { tif: 'Ioc' } } };
  const actions = [
    ['order', { type: 'order', orders: [order], grouping: 'na' }],
    ['cancel', { type: 'cancel', cancels: [{ a: 3, o: 82382 }] }],
    ['batch', { type: 'order', orders: [order, { ...order, c: `0x${'0'.repeat(31)}1` }], grouping: 'na' }],
    ['non-ASCII', { type: 'createSubAccount', name: NON_ASCII }],
    ['expiry', { type: 'cancel', cancels: [{ a: 3, o: 82382 }] }, undefined, nonce + 60_000],
    ['vault', { type: 'cancel', cancels: [{ a: 3, o: 82382 }] }, '1719884eb866cb12b2287399b15f7db5e7d775ea'],
  ];
  for (const isTestnet of [false, true]) {
    const exchange = createExchange('hyperliquid');
    if (isTestnet) exchange.setSandboxMode(true);
    for (const [kind, action, vault, expiresAfter] of actions) {
      const preset = isTestnet ? 'hyperliquid-testnet' : 'hyperliquid';
      await record({ preset, kind, source: 'ccxt' }, () => {
        const signature = exchange.signL1Action(action, nonce, vault, expiresAfter);
        const vaultAddress = vault === undefined ? {} : { vaultAddress: `0x${vault}` };
        return toRequest({ action, nonce, signature, ...vaultAddress, ...(expiresAfter && { expiresAfter }) });
      });
    }
  }
  const exchange = createExchange('hyperliquid');
  const message = { hyperliquidChain: 'Mainnet', destination: `0x${'22'.repeat(20)}`, amount: '1', time: nonce };
  for (const [kind, primaryType, sign] of [
    ['transfer', 'UsdSend', () => exchange.buildUsdSendSig(message)],
    ['withdrawal', 'Withdraw', () => exchange.buildWithdrawSig(message)],
  ]) {
    await record({ preset: 'hyperliquid-user', kind, source: 'ccxt' }, () =>
      toRequest({ action: { ...message, type: primaryType, signatureChainId: '0x66eee' }, nonce, signature: sign() }),
    );
  }
}

async function recordPacifica() {
  const exchange = createExchange('pacifica');
  const header = { timestamp: 1_700_000_000_000, expiry_window: 5000 };
  const order = { symbol: 'BTC', price: '100000', amount: '0.1', side: 'bid', tif: 'GTC', reduce_only: false };
  for (const [kind, type, data] of [
    ['order', 'create_order', order],
    ['cancel', 'cancel_order', { symbol: 'BTC', order_id: 28 }],
    [
      'batch',
      'batch_orders',
      {
        actions: [
          { type: 'Create', data: order },
          { type: 'Cancel', data: { order_id: 28 } },
        ],
      },
    ],
    ['withdrawal', 'withdraw', { amount: '1' }],
    ['reserved', 'create_order', { ...order, client_order_id: RESERVED }],
    ['non-ASCII', 'create_order', { ...order, symbol: NON_ASCII }],
  ]) {
    await record({ preset: 'pacifica', kind, source: 'ccxt' }, () => {
      const key = exchange.binaryToBase58(Buffer.from(KEYS.seed, 'hex'));
      const signature = exchange.signMessage({ ...header, type }, data, key);
      return toRequest({ ...header, type, data, signature });
    });
  }
}

/** A message that ccxt signs apart from `sign`, as a request. */
function toRequest(message) {
  return { method: 'POST', url: 'https://unsent.invalid/', headers: {}, body: JSON.stringify(message) };
}
