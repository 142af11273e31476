import { createSign, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { type ReceivedSignature, SignatureCheck } from '../../../src/client/signature-check.ts';

const KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC_KEY = KEYS.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const INPUT = 'eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiJuIn0';
const SIGNATURE = createSign('sha256')
  .update(INPUT)
  .sign({ key: KEYS.privateKey, dsaEncoding: 'ieee-p1363' })
  .toString('base64url');

const TOKEN = { payload: INPUT, signature: `${INPUT}.${SIGNATURE}`, algorithm: 'es256', publicKey: PUBLIC_KEY };
const NAME = { platformId: 'alpha', accountId: 'main', expected: null };

/** Whether the client accepts it; the reason if not. */
async function check(received: ReceivedSignature, pinned?: string): Promise<unknown> {
  const pinnedKeys = pinned === undefined ? {} : { 'alpha/main': pinned };
  const checker = new SignatureCheck({ verifySignatures: 'always', pinnedKeys });
  return checker.check(NAME, received, 'request').catch((error) => error.reason ?? error.message);
}

describe('Verification of es256 signatures and tokens by the client', () => {
  it('accepts a token, and the signature alone', async () => {
    expect(await check({ ...TOKEN, encoding: 'jws-compact' })).to.equal(true);
    expect(await check({ ...TOKEN, signature: SIGNATURE, encoding: 'base64url' })).to.equal(true);
  });

  it('accepts a token of a batch, which names no encoding, with a pinned key', async () => {
    const { publicKey: _, ...inBatch } = TOKEN;
    expect(await check(inBatch, PUBLIC_KEY)).to.equal(true);
  });

  it('rejects a token over other content, without its content, or with another signature', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
    for (const received of [
      { ...TOKEN, payload: `${INPUT}x` },
      { ...TOKEN, signature: SIGNATURE },
      { ...TOKEN, signature: `${TOKEN.signature}A` },
      { ...TOKEN, signature: `${INPUT}.${'A'.repeat(86)}` },
      { ...TOKEN, publicKey: other.toString('base64') },
      { ...TOKEN, publicKey: `${PUBLIC_KEY.slice(0, -4)}AA==` },
    ]) {
      expect(await check({ ...received, encoding: 'jws-compact' })).to.equal('WRONG_SIGNATURE');
    }
  });

  it('rejects another algorithm for a pinned P-256 key', async () => {
    const received = { ...TOKEN, algorithm: 'hmac-sha256', encoding: 'jws-compact' };
    expect(await check(received, PUBLIC_KEY)).to.equal('WRONG_ALGORITHM');
  });
});
