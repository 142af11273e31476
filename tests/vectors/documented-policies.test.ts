import { expect } from 'chai';
import { findPreset } from '../../src/adapters/venues/venue-files.ts';
import { TimeSlice } from '../../src/domain/flow/time-slice.ts';
import type { Account } from '../../src/domain/model/account.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { findRule, type Platform } from '../../src/domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../../src/domain/model/policy.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { bytesField, makeSignDoc, type SignDocSample } from '../contracts/cosmos-sign-doc.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { policyCompiler } from '../doubles/policy-compiler.ts';
import { presetOf } from '../harness/venue-vectors.ts';
import { readProjectFile } from '../project-root.ts';

const PAGE = readProjectFile('docs/operators/policies.md');
const getChapter = (title: string) => PAGE.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const CHAPTER = getChapter('Example policies');
const ENTRIES: readonly PolicyEntry[] = [...CHAPTER.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json = '']) =>
  JSON.parse(json),
);

const TUESDAY = '2026-11-24T10:30:00.000Z';
const SATURDAY = '2026-11-28T10:30:00.000Z';

const okx = (path: string, body?: JsonObject | readonly JsonObject[], method = 'POST'): JsonObject => ({
  ...{ timestamp: TUESDAY, method, path },
  ...(body === undefined ? {} : { body }),
});
const SOL = { instId: 'SOL-USDT' };
const ORDER = '/api/v5/trade/order';
const BATCH = '/api/v5/trade/batch-orders';
const CANCEL = '/api/v5/trade/cancel-order';
const SPREAD = '/api/v5/sprd/order';
const AMEND = '/api/v5/trade/amend-order';
const WITHDRAWAL = '/api/v5/asset/withdrawal';
const TO_KNOWN = { ccy: 'USDT', chain: 'USDT-TRC20', toAddr: 'TXqH2JBkDgGWyCFg4GZzg8eUjG5JMZ7hPL' };
const kraken = (volume: string, price?: string, more: JsonObject = {}): JsonObject => ({
  path: '/0/private/AddOrder',
  body: {
    ...{ nonce: '5', pair: 'XBTUSD', type: 'buy', ordertype: 'limit', volume },
    ...(price === undefined ? {} : { price }),
    ...more,
  },
});
const LIMIT_ORDER: JsonObject = { a: 1, b: true, p: '100', s: '1', r: false, t: { limit: { tif: 'Gtc' } } };
const ACTIONS: { readonly [type: string]: JsonObject } = {
  order: { orders: [LIMIT_ORDER], grouping: 'na' },
  modify: { oid: 5, order: LIMIT_ORDER },
  cancel: { cancels: [{ a: 1, o: 5 }] },
  twapOrder: { twap: { a: 1, b: true, s: '1', r: false, m: 30, t: false } },
};
const action = (type: string): JsonObject => ({ action: { type, ...ACTIONS[type] }, nonce: 1 });
const signDoc = (preset: string, id: string): JsonObject =>
  presetOf(preset).vectors.find((vector) => vector.id === id)?.data ?? {};
/** An envelope of a multi-sig user as the venue takes it. */
const envelope = (type: string): JsonObject => ({
  action: {
    ...{ type: 'multiSig', signatureChainId: '0x66eee', signatures: [{ r: '0x1', s: '0x2', v: 27 }] },
    payload: {
      ...{ multiSigUser: `0x${'1'.repeat(40)}`, outerSigner: `0x${'2'.repeat(40)}` },
      action: { type, ...ACTIONS[type] },
    },
  },
  nonce: 1,
});
const transferOf = (name: string): JsonObject => ({
  domain: {
    ...{ name: 'HyperliquidSignTransaction', version: '1', chainId: 421614 },
    verifyingContract: `0x${'0'.repeat(40)}`,
  },
  types: { [`HyperliquidTransaction:${name}`]: [{ name: 'amount', type: 'string' }] },
  primaryType: `HyperliquidTransaction:${name}`,
  message: { amount: '1' },
});
/** A cancel with another fee. */
const cancelWith = (fee: SignDocSample['fee'] = {}): JsonObject => ({
  signDoc: makeSignDoc({
    ...{ typeUrl: '/dydxprotocol.clob.MsgCancelOrder', chainId: 'dydx-mainnet-1' },
    fee,
  }).toString('base64'),
});
const typed = (primaryType: string, chainId = 1): JsonObject => ({
  domain: { name: 'Exchange', chainId, verifyingContract: '0x5e9ee1089755c3435139848e47e6635505d5a13a' },
  types: { [primaryType]: [{ name: 'size', type: 'uint256' }] },
  primaryType,
  message: { size: 1 },
});

interface Trial {
  readonly principal?: string;
  readonly now?: string;
  /** Absent: the platform's default rule. */
  readonly rule?: string;
  readonly allowed: readonly JsonObject[];
  readonly denied: readonly JsonObject[];
}

/** A session takes orders without further signatures. */
const OKX_LOGIN: Trial = { rule: 'login', allowed: [], denied: [{ timestamp: 1763628540 }] };

const TRIALS: { readonly [name: string]: readonly Trial[] } = {
  'okx-small-orders': [
    {
      allowed: [
        okx(ORDER, { ...SOL, sz: '10' }),
        okx(BATCH, [
          { ...SOL, sz: '1' },
          { ...SOL, sz: '10.0' },
        ]),
        okx(ORDER, undefined, 'GET'),
        okx(CANCEL, {}),
      ],
      denied: [
        okx(ORDER, { ...SOL, sz: '10.1' }),
        okx(ORDER, { ...SOL, sz: '-5' }),
        okx(ORDER, { ...SOL, sz: '1', attachAlgoOrds: [{ sz: '10000', tpTriggerPx: '1' }] }),
        okx(BATCH, [{ ...SOL, sz: '1', attachAlgoOrds: [{ sz: '10000', tpTriggerPx: '1' }] }]),
        okx(ORDER, { ...SOL, sz: '0' }),
        okx(ORDER, SOL),
        okx(ORDER, { sz: '1' }),
        okx(ORDER, { instId: 'BTC-USD-SWAP', sz: '1' }),
        okx(BATCH, [
          { ...SOL, sz: '1' },
          { ...SOL, sz: '11' },
        ]),
        okx(BATCH, [{ ...SOL, sz: '-1' }]),
        okx(ORDER, { ...SOL, sz: 'x' }),
        okx('/api/v5/asset/cancel-withdrawal', { wdId: '1' }),
        okx(AMEND, { newSz: '1' }),
        okx(AMEND, { sz: '1', newSz: '100' }),
        okx(SPREAD, { sz: '11' }),
        okx('/api/v5/trade/close-position', { instId: 'BTC-USDT-SWAP' }),
      ],
    },
    OKX_LOGIN,
  ],
  'kraken-order-value': [
    {
      allowed: [
        kraken('1.25', '40000'),
        kraken('1', '90000', { type: 'sell' }),
        { path: '/0/private/CancelAll', body: { nonce: 5 } },
      ],
      denied: [
        kraken('1.25', '40000.01'),
        kraken('1.25'),
        kraken('1,25', '1'),
        kraken('1.25', '1', { ordertype: 'market' }),
        kraken('1.25', '1', { type: 'sell' }),
        // An offset from the market price.
        kraken('100', '-0.1'),
        kraken('-1', '-50000'),
        kraken('1', '1', { pair: 'XBTUSDT' }),
        kraken('1', '1', { pair: 'ETHXBT' }),
        kraken('1', '200000', { type: 'BUY' }),
        kraken('1', '1', { oflags: 'viqc' }),
        kraken('1', '1', { 'close[ordertype]': 'market' }),
        kraken('1', '1', { leverage: '5' }),
        { path: '/0/private/AmendOrder', body: { nonce: 5, order_qty: '1' } },
        { path: '/0/private/GetWebSocketsToken', body: { nonce: 5 } },
      ],
    },
  ],
  'hyperliquid-hours': [
    { now: TUESDAY, allowed: [action('order'), action('cancel')], denied: [] },
    {
      now: SATURDAY,
      allowed: [action('cancel')],
      denied: [action('order'), action('modify'), action('twapOrder'), action('somethingNew')],
    },
    { now: TUESDAY, rule: 'multi-sig', allowed: [envelope('order'), envelope('cancel')], denied: [] },
    { now: SATURDAY, rule: 'multi-sig', allowed: [envelope('cancel')], denied: [envelope('order')] },
    { now: SATURDAY, rule: 'user', allowed: [], denied: [transferOf('UsdSend')] },
  ],
  'okx-treasury': [
    {
      principal: 'treasury',
      allowed: [okx(WITHDRAWAL, { ...TO_KNOWN, amt: '10000' })],
      denied: [
        okx(WITHDRAWAL, { ...TO_KNOWN, amt: '10000.1' }),
        okx(WITHDRAWAL, { ...TO_KNOWN, amt: '-1' }),
        okx(WITHDRAWAL, { ...TO_KNOWN, amt: '1', toAddr: 'T1' }),
        okx(WITHDRAWAL, { ...TO_KNOWN, amt: '1', ccy: 'BTC' }),
        okx(WITHDRAWAL, { ...TO_KNOWN, amt: '1', chain: 'USDT-ERC20' }),
      ],
    },
    { principal: 'bot-7', allowed: [], denied: [okx(WITHDRAWAL, { ...TO_KNOWN, amt: '1' })] },
  ],
  'dydx-btc-orders': [
    {
      allowed: [signDoc('dydx', 'short-term-order'), signDoc('dydx', 'cancel'), cancelWith()],
      denied: [
        signDoc('dydx', 'long-term-order'),
        signDoc('dydx', 'transfer'),
        cancelWith({ amount: Buffer.concat([bytesField(1, Buffer.from('adydx')), bytesField(2, Buffer.from('1'))]) }),
        cancelWith({ payer: 'dydx1somebody' }),
        cancelWith({ granter: 'dydx1somebody' }),
      ],
    },
  ],
  'exchange-orders': [{ allowed: [typed('Order')], denied: [typed('Order', 5), typed('Permit')] }],
};

function platformOf(platformId: string): Platform {
  const preset = findPreset(platformId);
  if (preset !== undefined) return { platformId, ...preset.platform };
  return { platformId, format: 'any', algorithms: ['eip712'], payload: { rule: 'typed-data' } };
}

describe('The example policies of docs/operators/policies.md', () => {
  it('are these', () => {
    expect(ENTRIES.map(({ name }) => name)).to.deep.equal(Object.keys(TRIALS));
  });

  for (const entry of ENTRIES) {
    it(`${entry.name}: allows and denies what the page says`, async () => {
      const [account = ''] = entry.accounts;
      const [platformId = '', accountId = ''] = account.replace('*', '7').split('/');
      const platform = platformOf(platformId);
      const compiled = await policyCompiler().compile([entry], [platform], new TimeSlice(new FixedClock()));
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
      const isAllowed = (data: JsonObject, { principal = 'bot-7', now = TUESDAY, rule: ruleName }: Trial) => {
        const rule = findRule(platform, ruleName);
        if (rule === undefined) throw new Error(`${platformId} has no rule ${ruleName}.`);
        const built = buildPayload(data, rule, payloadContext());
        if (!built.ok) throw new Error(`${built.refusal.path} ${built.refusal.message}`);
        return compiled.value.decide({
          ...{ platform, rule, ruleName, payload: built.value, principal, now: Date.parse(now) },
          account: { platformId, accountId, environment: 'production' } as Account,
        }).isAllowed;
      };
      for (const trial of TRIALS[entry.name] ?? []) {
        for (const data of trial.allowed) expect(isAllowed(data, trial), JSON.stringify(data)).to.equal(true);
        for (const data of trial.denied) expect(isAllowed(data, trial), JSON.stringify(data)).to.equal(false);
      }
    });
  }
});

describe('The budgets of docs/operators/policies.md', () => {
  it('take what they say of orders, and more than they have of what has another unit', async () => {
    const [, json = ''] = /```json\n([\s\S]*?)\n```/.exec(getChapter('Budgets')) ?? [];
    const { budgets }: { readonly budgets: readonly BudgetEntry[] } = JSON.parse(`{${json}}`);
    const platform: Platform = { ...presetOf('okx').platform, platformId: 'okx' };
    const compiled = await policyCompiler().compile([], [platform], new TimeSlice(new FixedClock(TUESDAY)), budgets);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
    const amounts = (data: JsonObject) => {
      const built = buildPayload(data, platform.payload, payloadContext());
      if (!built.ok) throw new Error(built.refusal.message);
      const account = { platformId: 'okx', accountId: 'bot-7', environment: 'production' } as Account;
      const request = { platform, rule: platform.payload, account, payload: built.value, principal: null, now: 0 };
      return compiled.value.decide(request).amounts?.map(({ amount }) => amount?.text ?? null);
    };
    const buy = { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '0.5', px: '61000.5' };
    const sell = { ...buy, side: 'sell', px: '1' };
    expect(amounts(okx(ORDER, buy))).to.deep.equal(['30500.25', '1']);
    expect(amounts(okx(ORDER, sell))).to.deep.equal(['50000', '1']);
    expect(amounts(okx(ORDER, { ...buy, ordType: 'market', px: '1' }))).to.deep.equal(['50000', '1']);
    expect(amounts(okx(ORDER, { ...buy, px: '-1' }))).to.deep.equal(['50000', '1']);
    expect(amounts(okx(SPREAD, { sz: '0.5', side: 'buy' }))).to.deep.equal([null, '1']);
    expect(amounts(okx(ORDER, { instId: 'BTC-USDT' }))).to.deep.equal([null, '1']);
    expect(amounts(okx(BATCH, [{ sz: '1' }, { sz: '2' }]))).to.deep.equal([null, '2']);
    expect(amounts(okx(CANCEL, {}))).to.deep.equal(['0', '0']);
    expect(amounts(okx(ORDER, undefined, 'GET'))).to.deep.equal(['0', '0']);
    // Bitcoin, contracts, sizes that reduce the sum, a second order: more than the budget has.
    const attached = { attachAlgoOrds: [{ sz: '10' }] };
    for (const other of [{ instId: 'ETH-BTC' }, { instId: 'BTC-USDT-SWAP' }, { sz: '-0.5' }, { sz: '0' }, attached]) {
      expect(amounts(okx(ORDER, { ...buy, ...other })), JSON.stringify(other)).to.deep.equal(['1000000', '1']);
    }
  });
});
