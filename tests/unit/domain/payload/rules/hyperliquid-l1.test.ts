import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue } from '../payload-expectations.ts';

type Network = 'mainnet' | 'testnet';

function build(data: JsonObject, network: Network = 'mainnet') {
  return buildPayload(data, { rule: 'hyperliquid-l1', network }, payloadContext());
}

/** A phantom agent's message, encoded by ethers. */
function agent(source: 'a' | 'b', connectionId: string): string {
  const types = {
    Agent: [
      { name: 'source', type: 'string' },
      { name: 'connectionId', type: 'bytes32' },
    ],
  };
  const domain = {
    name: 'Exchange',
    version: '1',
    chainId: 1337,
    verifyingContract: '0x0000000000000000000000000000000000000000',
  };
  return TypedDataEncoder.encode(domain, types, { source, connectionId }).slice(2);
}

function order(a: number, p: string, s: string, tif: string): JsonObject {
  return { type: 'order', orders: [{ a, b: true, p, s, r: false, t: { limit: { tif } } }], grouping: 'na' };
}

const VAULT = '0x1234567890123456789012345678901234567890';
const BUY = order(0, '30000', '0.1', 'Gtc');

const ORDER: JsonObject = { a: 1, b: true, p: '1.5', s: '2', r: false, t: { limit: { tif: 'Gtc' } } };
const TRIGGER: JsonObject = { ...ORDER, t: { trigger: { isMarket: true, triggerPx: '103', tpsl: 'sl' } } };
const CLOID = '0x00000000000000000000000000000001';

/** Forms of hyperliquid-python-sdk (exchange.py) and nktkas/hyperliquid (api/exchange). */
const KNOWN_ACTIONS: readonly JsonObject[] = [
  { type: 'order', orders: [ORDER, { ...TRIGGER, c: CLOID }], grouping: 'na', builder: { b: VAULT, f: 10 } },
  { type: 'order', orders: [ORDER], grouping: { p: 100 } },
  { type: 'modify', oid: 5, order: ORDER, a: true },
  { type: 'batchModify', modifies: [{ oid: CLOID, order: TRIGGER }] },
  { type: 'cancel', cancels: [{ a: 3, o: 82382 }], f: true },
  { type: 'cancelByCloid', cancels: [{ asset: 3, cloid: CLOID }] },
  { type: 'scheduleCancel', time: 123456789 },
  { type: 'twapOrder', twap: { a: 0, b: true, s: '1', r: false, m: 10, t: true } },
  {
    type: 'twapOrder',
    twap: { a: 0, b: true, s: '1', r: false, m: 10, t: true },
    details: { t: { p: '5', a: false }, s: null },
  },
  { type: 'twapCancel', a: 0, t: 12345 },
  { type: 'updateLeverage', asset: 0, isCross: true, leverage: 5 },
  { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: -1000000 },
  { type: 'vaultTransfer', vaultAddress: VAULT, isDeposit: true, usd: 10 },
  { type: 'subAccountTransfer', subAccountUser: VAULT, isDeposit: true, usd: 10 },
  { type: 'subAccountSpotTransfer', subAccountUser: VAULT, isDeposit: true, token: 'USDC:0x1', amount: '1.0' },
];

/** The value with the members of one of its objects in reverse order, for each that has several. */
function turnEachObject(value: JsonValue): readonly JsonValue[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((element: JsonValue, at) => turnEachObject(element).map((turned) => value.with(at, turned)));
  }
  const members = Object.entries(value);
  const inside = members.flatMap(([name, member]) =>
    turnEachObject(member).map((turned) =>
      Object.fromEntries(members.map(([key, one]) => [key, key === name ? turned : one])),
    ),
  );
  return members.length < 2 ? inside : [Object.fromEntries(members.toReversed()), ...inside];
}

/**
 * From hyperliquid-dex/hyperliquid-python-sdk tests/signing_test.py and nktkas/hyperliquid
 * tests/signing/mod.test.ts.
 */
const ACTION_HASHES: readonly (readonly [string, JsonObject, string])[] = [
  [
    'production (test_phantom_agent_creation_matches_production)',
    { action: order(4, '1670.1', '0.0147', 'Ioc'), nonce: 1677777606040 },
    '0x0fcbeda5ae3c4950a548021552a4fea2226858c4453571bf3f24ba017eac2908',
  ],
  [
    'neither vault nor expiry',
    { action: BUY, nonce: 1234567890 },
    '0x25367e0dba84351148288c2233cd6130ed6cec5967ded0c0b7334f36f957cc90',
  ],
  [
    'a vault',
    { action: BUY, nonce: 1234567890, vaultAddress: VAULT },
    '0x214e2ea3270981b6fd18174216691e69f56872663139d396b10ded319cb4bb1e',
  ],
  [
    'an expiry',
    { action: BUY, nonce: 1234567890, expiresAfter: 1234567890 },
    '0xc30b002ba3775e4c31c43c1dfd3291dfc85c6ae06c6b9f393991de86cad5fac7',
  ],
  [
    'vault and expiry',
    { action: BUY, nonce: 1234567890, vaultAddress: VAULT, expiresAfter: 1234567890 },
    '0x2d62412aa0fc57441b5189841d81554a6a9680bf07204e1454983a9ca44f0744',
  ],
];

describe('rule hyperliquid-l1', () => {
  for (const [name, data, hash] of ACTION_HASHES) {
    it(`signs the agent of the published action hash: ${name}`, () => {
      expectBytes(build(data), agent('a', hash), agent('a', hash));
      expectBytes(build(data, 'testnet'), agent('b', hash), agent('b', hash));
    });
  }

  it('rejects reordered members, and numbers that Hyperliquid has as strings', () => {
    const path = (action: string) => JSON.parse(`{"nonce":1,"action":${action}}`) as JsonObject;
    expectIssue(build(path('{"b":1,"0":1}')), 'data.action["0"]', /order sent is lost; rename it, .* takes no text/);
    expectIssue(build(path('{"a":[{"p":1670.1}]}')), 'data.action.a[0].p', /decimals as strings/);
    expectIssue(build(path('{"a":1e-7}')), 'data.action.a', /decimals as strings/);
    expect(build(path('{"type":"x","a":1.0}')).ok).to.equal(true);
  });

  describe('signs only what the venue can accept', () => {
    const reject = (action: JsonObject, path: string, message: RegExp) =>
      expectIssue(build({ action, nonce: 1 }), path, message);
    const withOrder = (change: JsonObject) => ({ ...BUY, orders: [{ ...ORDER, ...change }] });

    for (const action of KNOWN_ACTIONS) {
      it(`${action['type']} as the clients of the venue send it, and with its members in no other order`, () => {
        const after = `${'0'.repeat(15)}100`;
        const hash = keccak256(`0x${Buffer.from(encode(action)).toString('hex')}${after}`);
        expectBytes(build({ action, nonce: 1 }), agent('a', hash), agent('a', hash));
        for (const turned of turnEachObject(action) as JsonObject[]) {
          expect(build({ action: turned, nonce: 1 }).ok, JSON.stringify(turned)).to.equal(false);
        }
        reject({ ...action, more: 1 }, 'data.action', /^must be an object with the members type, .*in this order/);
      });
    }

    it('prices and sizes as decimals in strings, without zeros that change nothing', () => {
      const forms = ['25.20', '25.', '25.0', '025.2', '.5', '1e2', '+1', '-1', ' 1', '', 25, 25.2, null];
      for (const wrong of forms satisfies JsonValue[]) {
        for (const name of ['p', 's']) {
          const issue = build({ action: withOrder({ [name]: wrong }), nonce: 1 });
          expectIssue(
            issue,
            `data.action.orders[0].${name}`,
            wrong === 25.2 ? /^must be an integer/ : /^must be a decimal/,
          );
        }
      }
      const trigger = { trigger: { isMarket: true, triggerPx: '1.10', tpsl: 'tp' } };
      reject(withOrder({ t: trigger }), 'data.action.orders[0].t.trigger.triggerPx', /^must be a decimal/);
      for (const right of ['0', '25', '25.2', '0.00000001', '100']) {
        expect(build({ action: withOrder({ p: right, s: right }), nonce: 1 }).ok, right).to.equal(true);
      }
    });

    it('addresses and client order IDs in lowercase, in actions of any type', () => {
      const builder = { b: `0x${'aB'.repeat(20)}`, f: 1 };
      reject({ ...BUY, builder }, 'data.action.builder.b', /^must have 0x and lowercase hex digits/);
      reject(withOrder({ c: `0x${'AB'.repeat(16)}` }), 'data.action.orders[0].c', /^must have 0x and lowercase/);
      reject({ type: 'later', users: [[VAULT, builder.b]] }, 'data.action.users[0][1]', /^must have 0x and lowercase/);
      expect(build({ action: { type: 'later', users: [[VAULT]], text: '0xAB' }, nonce: 1 }).ok).to.equal(true);
    });

    it('type as the first member, in actions of any type', () => {
      const wanted = /^must have type, a string, as its first member/;
      const { type, ...others } = BUY;
      for (const action of [{ ...others, type: 'order' }, others, { ...BUY, type: 1 }, {}] satisfies JsonObject[]) {
        reject(action, 'data.action', wanted);
      }
      expect(type).to.equal('order');
    });
  });

  describe('as an authorized user of a multi-sig user', () => {
    const USER = `0x${'1a'.repeat(20)}`;
    const LEADER = `0x${'2b'.repeat(20)}`;
    const request: JsonObject = { action: { type: 'noop' }, nonce: 5 };
    const signed: JsonObject = { ...request, multiSigUser: USER, outerSigner: LEADER };

    it('rejects one address without the other, and other forms', () => {
      const { multiSigUser: _, ...alone } = signed;
      expectIssue(build(alone), 'data.multiSigUser', /^must be an address.*go together/);
      expectIssue(build({ ...signed, outerSigner: null }), 'data.outerSigner', /^must be an address.*go together/);
      for (const wrong of ['', USER.slice(2), `${USER}0`, USER.replace('0x', '0X'), 1, {}] satisfies JsonValue[]) {
        expectIssue(build({ ...signed, multiSigUser: wrong }), 'data.multiSigUser', /^must be an address/);
        expectIssue(build({ ...signed, outerSigner: wrong }), 'data.outerSigner', /^must be an address/);
      }
    });

    it('rejects what could pass for it: an array as action, and the envelope', () => {
      const array = { ...request, action: [USER, LEADER, { type: 'noop' }] };
      expectIssue(build(array), 'data.action', /^must be an object/);
      const envelope = { ...request, action: { type: 'multiSig', payload: {} } };
      for (const data of [envelope, { ...signed, ...envelope }]) {
        expectIssue(build(data), 'data.action.type', /which rule hyperliquid-multi-sig signs/);
      }
    });
  });

  it('rejects an action of more than 262,144 characters', () => {
    const action = { type: 'x', a: 'y'.repeat(262_144 - '{"type":"x","a":""}'.length) };
    expect(build({ action, nonce: 1 }).ok).to.equal(true);
    expectIssue(build({ action: { ...action, a: `${action.a}y` }, nonce: 1 }), 'data.action', /262144 characters/);
  });

  it('rejects missing, mistyped and unsigned members', () => {
    const request: JsonObject = { action: BUY, nonce: 1 };
    expectIssue(build({ nonce: 1 }), 'data.action', /^is missing; it must be an object/);
    expectIssue(build({ action: BUY }), 'data.nonce', /^is missing; it must be an integer/);
    for (const action of [null, 'x', [], 1] satisfies JsonValue[]) {
      expectIssue(build({ ...request, action }), 'data.action', /^must be an object/);
    }
    for (const time of [-1, 0.5, '1', 2 ** 53, true, {}] satisfies JsonValue[]) {
      expectIssue(build({ ...request, nonce: time }), 'data.nonce', /^must be an integer/);
      expectIssue(build({ ...request, expiresAfter: time }), 'data.expiresAfter', /^must be an integer/);
    }
    expectIssue(build({ ...request, nonce: null }), 'data.nonce', /^must be an integer/);
    for (const vaultAddress of ['', VAULT.slice(2), `${VAULT}0`, 1] satisfies JsonValue[]) {
      expectIssue(build({ ...request, vaultAddress }), 'data.vaultAddress', /^must be an address/);
    }
    for (const name of ['signature', 'vault', 'isFrontend']) {
      expectIssue(build({ ...request, [name]: null }), `data.${name}`, /^is not signed by this rule/);
    }
  });
});
