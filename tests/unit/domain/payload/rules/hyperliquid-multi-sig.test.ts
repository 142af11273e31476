import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue } from '../payload-expectations.ts';

function build(data: JsonObject, network: 'mainnet' | 'testnet' = 'mainnet') {
  return buildPayload(data, { rule: 'hyperliquid-multi-sig', network }, payloadContext());
}

const USER = `0x${'1a'.repeat(20)}`;
const LEADER = `0x${'2b'.repeat(20)}`;
const PAYLOAD: JsonObject = { multiSigUser: USER, outerSigner: LEADER, action: { type: 'noop' } };
const ACTION: JsonObject = {
  type: 'multiSig',
  signatureChainId: '0x66eee',
  signatures: [{ r: '0xa', s: '0xb', v: 27 }],
  payload: PAYLOAD,
};
const NONCE = 5;

const withAction = (change: JsonObject) => build({ action: { ...ACTION, ...change }, nonce: NONCE });
const withPayload = (change: JsonObject) => withAction({ payload: { ...PAYLOAD, ...change } });
const withSignature = (signature: JsonValue) => withAction({ signatures: [{ r: '0x1', s: '0x2', v: 28 }, signature] });

/** The envelope's message, encoded by ethers. */
function envelope(hyperliquidChain: string, chainId: number, multiSigActionHash: string): string {
  const types = {
    'HyperliquidTransaction:SendMultiSig': [
      { name: 'hyperliquidChain', type: 'string' },
      { name: 'multiSigActionHash', type: 'bytes32' },
      { name: 'nonce', type: 'uint64' },
    ],
  };
  const domain = {
    name: 'HyperliquidSignTransaction',
    version: '1',
    chainId,
    verifyingContract: '0x0000000000000000000000000000000000000000',
  };
  const message = { hyperliquidChain, multiSigActionHash, nonce: NONCE };
  return TypedDataEncoder.encode(domain, types, message).slice(2);
}

/** MessagePack of ACTION without its type, by hand, and what is hashed after it. */
function hashOf(chainId: string, after: string): string {
  const long = (text: string) => `d92a${Buffer.from(text).toString('hex')}`;
  const short = (text: string) => (0xa0 + text.length).toString(16) + Buffer.from(text).toString('hex');
  const signature = `83${short('r')}${short('0xa')}${short('s')}${short('0xb')}${short('v')}1b`;
  const payload =
    `83${short('multiSigUser')}${long(USER)}${short('outerSigner')}${long(LEADER)}` +
    `${short('action')}81${short('type')}${short('noop')}`;
  const members = `${short('signatureChainId')}${short(chainId)}${short('signatures')}91${signature}`;
  return keccak256(`0x83${members}${short('payload')}${payload}${'0'.repeat(15)}5${after}`);
}

describe('rule hyperliquid-multi-sig', () => {
  it('signs SendMultiSig over the hash of the action without its type', () => {
    const data = { action: ACTION, nonce: NONCE };
    const hash = hashOf('0x66eee', '00');
    const mainnet = envelope('Mainnet', 421614, hash);
    expectBytes(build(data), mainnet, mainnet);
    const testnet = envelope('Testnet', 421614, hash);
    expectBytes(build(data, 'testnet'), testnet, testnet);
    const arbitrum = envelope('Mainnet', 42161, hashOf('0xa4b1', '00'));
    expectBytes(withAction({ signatureChainId: '0xa4b1' }), arbitrum, arbitrum);
  });

  it('rejects other actions, and members missing, added or reordered', () => {
    for (const type of ['order', 'MultiSig', null, 1] satisfies JsonValue[]) {
      expectIssue(withAction({ type }), 'data.action.type', /must be multiSig$/);
    }
    expectIssue(build({ action: {}, nonce: NONCE }), 'data.action.type', /^is missing; it must be multiSig/);
    const { signatures, payload, ...rest } = ACTION;
    const wrong = [rest, { ...rest, payload, signatures }, { ...ACTION, more: 1 }, { signatures, ...ACTION }];
    for (const action of wrong as JsonObject[]) {
      expectIssue(
        build({ action, nonce: NONCE }),
        'data.action',
        /^must be an object with the members type, .* in this order/,
      );
    }
    const { outerSigner, ...alone } = PAYLOAD;
    for (const inner of [alone, { ...alone, outerSigner }, { ...PAYLOAD, more: 1 }, [], null, 'x'] as JsonValue[]) {
      expectIssue(withAction({ payload: inner }), 'data.action.payload', /^must be an object with the members/);
    }
    expectIssue(build({ action: ACTION, nonce: NONCE, multiSigUser: USER }), 'data.multiSigUser', /^is not signed/);
  });

  it('rejects values that the venue would hash in another form', () => {
    for (const id of ['', '421614', '0x', '0x066eee', '0x66EEE', 421614, null] satisfies JsonValue[]) {
      expectIssue(
        withAction({ signatureChainId: id }),
        'data.action.signatureChainId',
        /^must be a chain ID in lowercase/,
      );
    }
    for (const address of [USER.toUpperCase(), `0x${'AB'.repeat(20)}`, '0x', 1, null] satisfies JsonValue[]) {
      expectIssue(withPayload({ multiSigUser: address }), 'data.action.payload.multiSigUser', /lowercase hex digits/);
      expectIssue(withPayload({ outerSigner: address }), 'data.action.payload.outerSigner', /lowercase hex digits/);
    }
    expectIssue(withPayload({ action: [] }), 'data.action.payload.action', /^must be an object/);
    expectIssue(withPayload({ action: { a: 0.5 } }), 'data.action.payload.action.a', /decimals as strings/);
    const order = { a: 1, b: true, p: '25.20', s: '1', r: false, t: { limit: { tif: 'Gtc' } } };
    const action = { type: 'order', orders: [order], grouping: 'na' };
    expectIssue(withPayload({ action }), 'data.action.payload.action.orders[0].p', /^must be a decimal/);
    for (const signatures of [[], null, {}] satisfies JsonValue[]) {
      expectIssue(withAction({ signatures }), 'data.action.signatures', /^must be an array/);
    }
    const halves = ['0x0a', '0xA', 'a', `0x1${'0'.repeat(64)}`, '0x', 5];
    for (const half of halves satisfies JsonValue[]) {
      const path = 'data.action.signatures[1]';
      expectIssue(withSignature({ r: half, s: '0xb', v: 27 }), `${path}.r`, /without leading zeros/);
      expectIssue(withSignature({ r: '0xa', s: half, v: 27 }), `${path}.s`, /without leading zeros/);
    }
    for (const v of [0, '27', null] satisfies JsonValue[]) {
      expectIssue(withSignature({ r: '0xa', s: '0xb', v }), 'data.action.signatures[1].v', /^must be 27 or 28/);
    }
    for (const signature of [{ s: '0xb', r: '0xa', v: 27 }, { r: '0xa', s: '0xb' }, `0x${'a'.repeat(130)}`]) {
      expectIssue(withSignature(signature as JsonValue), 'data.action.signatures[1]', /with the members r, s, v, in/);
    }
    expect(withSignature({ r: '0xa', s: '0xb', v: 27 }).ok).to.equal(true);
  });
});
