import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { getKeyRevision } from '../../../../src/adapters/credentials/key-revision.ts';
import type { KeySource } from '../../../../src/domain/model/configured-account.ts';
import { useWorkplace } from './credentials-workplace.ts';

/** Long after the files were written, milliseconds since 1970. */
const LATER = Date.now() + 3_600_000;

describe('getKeyRevision', () => {
  const workplace = useWorkplace();
  const revision = (key: KeySource, secretDecoding = 'utf8', now = LATER) =>
    getKeyRevision(key, { folder: workplace().folder, secretDecoding, now });
  const write = (name: string, text = 'one') => writeFileSync(workplace().path(name), text);

  it('returns the text of a sealed key as its revision', () => {
    expect(revision({ sealed: 'v1.a.b.c' })).to.equal('v1.a.b.c');
  });

  it('returns no revision for plaintext keys', () => {
    expect(revision({ plaintext: 'ab'.repeat(32) })).to.equal(undefined);
  });

  it('returns the same revision while the key file is unchanged', () => {
    write('main.key');
    const first = revision({ file: 'main.key' });
    expect(first).to.be.a('string');
    expect(revision({ file: 'main.key' })).to.equal(first);
    expect(revision({ file: workplace().path('main.key') })).to.equal(first);
  });

  const alterations: { readonly [what: string]: () => string | undefined } = {
    'is written': () => {
      write('main.key', 'three');
      return revision({ file: 'main.key' });
    },
    'is replaced': () => {
      write('new');
      renameSync(workplace().path('new'), workplace().path('main.key'));
      return revision({ file: 'main.key' });
    },
    'is another file behind a link': () => {
      write('other');
      unlinkSync(workplace().path('main.key'));
      symlinkSync(workplace().path('other'), workplace().path('main.key'));
      return revision({ file: 'main.key' });
    },
    'is read in another format': () => revision({ file: 'main.key', format: 'raw' }),
    'is decoded in another way': () => revision({ file: 'main.key' }, 'hex'),
    'gets a password': () => {
      write('password');
      return revision({ file: 'main.key', passwordFile: 'password' });
    },
  };
  for (const [what, alter] of Object.entries(alterations)) {
    it(`returns a new revision when the key file ${what}`, () => {
      write('main.key');
      const before = revision({ file: 'main.key' });
      const after = alter();
      expect(after).to.be.a('string');
      expect(after).to.not.equal(before);
    });
  }

  it('returns no revision for a missing file, or one too new for a further change to show', () => {
    write('main.key');
    expect(revision({ file: 'main.key' }, 'utf8', Date.now())).to.equal(undefined);
    expect(revision({ file: 'missing.key' })).to.equal(undefined);
  });
});
