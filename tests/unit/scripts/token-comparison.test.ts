import { createHmac, sign } from 'node:crypto';
import { expect } from 'chai';
import { SDK_KEYS } from '../../../scripts/sdk-parity/sdk-record.ts';
import { toPrivateKey } from '../../../scripts/sdk-parity/test-keys.ts';
import { compareTokens } from '../../../scripts/sdk-parity/token-comparison.ts';

const CLAIMS = { sub: 'k1', nbf: 1700000000 };

function toText(header: object, claims: object): string {
  return [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

function toHmacToken(alg: 'HS256' | 'HS512', claims: object = CLAIMS, secret: string = SDK_KEYS.secret): string {
  const text = toText({ alg, typ: 'JWT' }, claims);
  const signature = createHmac(alg.replace('HS', 'sha'), secret).update(text).digest('base64url');
  return `${text}.${signature}`;
}

function toEcdsaToken(header: object, claims: object = CLAIMS): string {
  const text = toText(header, claims);
  const key = { key: toPrivateKey('es256'), dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

describe('Comparison of tokens', () => {
  it('finds the same token with other random numbers in its signature', () => {
    const header = { alg: 'ES256', typ: 'JWT' };
    const [first, second] = [toEcdsaToken(header), toEcdsaToken(header)];
    expect(first).not.to.equal(second);
    expect(compareTokens(first, second)).to.equal('same token');
  });

  it('finds the same members in another order, and without typ', () => {
    const ours = toEcdsaToken({ alg: 'ES256', kid: 'k1', typ: 'JWT' });
    const theirs = toEcdsaToken({ kid: 'k1', alg: 'ES256' }, { nbf: 1700000000, sub: 'k1' });
    expect(compareTokens(ours, theirs)).to.equal('same members');
  });

  it('finds the same claims with another algorithm', () => {
    expect(compareTokens(toHmacToken('HS512'), toHmacToken('HS256'))).to.equal('same claims');
  });

  it('finds other claims, and another key name', () => {
    expect(compareTokens(toHmacToken('HS512'), toHmacToken('HS512', { ...CLAIMS, sub: 'k2' }))).to.equal(undefined);
    const [ours, theirs] = ['k1', 'k2'].map((kid) => toEcdsaToken({ alg: 'ES256', kid }));
    expect(compareTokens(ours ?? '', theirs ?? '')).to.equal(undefined);
  });

  it('trusts no token without a valid signature', () => {
    const ours = toHmacToken('HS512');
    expect(compareTokens(ours, toHmacToken('HS512', CLAIMS, 'another secret'))).to.equal(undefined);
    expect(compareTokens(ours, `${toText({ alg: 'none' }, CLAIMS)}.`)).to.equal(undefined);
    expect(compareTokens(ours, ours.slice(0, ours.lastIndexOf('.')))).to.equal(undefined);
  });
});
