import { expect } from 'chai';
import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import { compareKeys } from '../../../../src/domain/services/same-key.ts';
import type { ListedAccount } from '../../../../src/ports/credential-editor.ts';
import { sampleListedAccount } from '../../../doubles/credential-builder.ts';

interface Key {
  readonly file?: string;
  readonly publicKey?: string;
  readonly algorithm?: Algorithm;
}

/** Account ids by relation to the account `of`. */
function find(keys: { readonly [accountId: string]: Key }, of: string) {
  const accounts = Object.entries(keys).map(([accountId, { file, publicKey = null, algorithm = 'ed25519' }]) => {
    const key = file === undefined ? ({ kind: 'plaintext' } as const) : ({ kind: 'file', file } as const);
    return sampleListedAccount({ accountId, algorithm, publicKey, key });
  });
  const account = accounts.find(({ accountId }) => accountId === of) ?? expect.fail();
  const { sameKey, uncompared, otherHmac } = compareKeys(accounts, account);
  const named = (some: readonly ListedAccount[]) => some.map(({ accountId }) => accountId);
  return { sameKey: named(sameKey), uncompared: named(uncompared), otherHmac: named(otherHmac) };
}

describe('compareKeys', () => {
  it('compares public keys and files, and names accounts that are not comparable', () => {
    const keys = {
      main: { file: 'hot.key', publicKey: 'PublicKey1' },
      'same-file': { file: 'hot.key' },
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
