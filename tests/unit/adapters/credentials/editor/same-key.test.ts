import { expect } from 'chai';
import { findSameKey } from '../../../../../src/adapters/credentials/editor/same-key.ts';
import type { Algorithm } from '../../../../../src/domain/model/algorithm.ts';

interface Key {
  readonly file?: string;
  readonly publicKey?: string;
  readonly algorithm?: Algorithm;
}

/** Account ids by relation to the account `of`. */
function find(keys: { readonly [accountId: string]: Key }, of: string) {
  const ids = Object.keys(keys);
  const accounts = Object.entries(keys).map(([accountId, { file, publicKey, algorithm = 'ed25519' }]) => ({
    ...({ platformId: 'alpha', accountId, algorithm, status: 'active', environment: 'production' } as const),
    ...{ alias: accountId, createdAt: null, publicKey: publicKey ?? null },
    key: file === undefined ? { plaintext: '11'.repeat(32) } : { file },
  }));
  const { sameKey, uncompared, otherHmac } = findSameKey(accounts, ids.indexOf(of), '/keys');
  const named = (places: readonly number[]) => places.map((place) => ids[place]);
  return { sameKey: named(sameKey), uncompared: named(uncompared), otherHmac: named(otherHmac) };
}

describe('findSameKey', () => {
  it('compares public keys and files, and names accounts that are not comparable', () => {
    const keys = {
      main: { file: 'hot.key', publicKey: 'PublicKey1' },
      'same-file': { file: '/keys/sub/../hot.key' },
      'same-public-key': { file: 'copy.key', publicKey: 'PublicKey1' },
      other: { file: 'other.key', publicKey: 'PublicKey2' },
      unknown: { file: 'unknown.key' },
      plain: {},
    };
    const otherHmac: readonly string[] = [];
    const uncompared = ['unknown', 'plain'];
    expect(find(keys, 'main')).to.deep.equal({ sameKey: ['same-file', 'same-public-key'], uncompared, otherHmac });
    expect(find(keys, 'same-file')).to.deep.equal({ sameKey: ['main', 'same-public-key'], uncompared, otherHmac });
    expect(find(keys, 'other')).to.deep.equal({ sameKey: [], uncompared: ['same-file', ...uncompared], otherHmac });
    const all = Object.keys(keys).slice(0, -1);
    expect(find(keys, 'plain')).to.deep.equal({ sameKey: [], uncompared: all, otherHmac });
  });

  it('finds accounts that share the key only through others', () => {
    const keys = {
      end: { file: 'copy-2.key' },
      link: { file: 'copy-2.key', publicKey: 'PublicKey1' },
      named: { file: 'copy-1.key', publicKey: 'PublicKey1' },
      start: { file: 'copy-1.key' },
    };
    expect(find(keys, 'start').sameKey).to.deep.equal(['end', 'link', 'named']);
  });
});
