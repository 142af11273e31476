import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { isExistingFile } from '../../../../src/adapters/secret-files/secret-file.ts';
import { createSeedFile, decodePlainKey, withSeedFile } from '../../../../src/adapters/secret-files/seed-file.ts';
import { Ed25519Key } from '../../../../src/adapters/vault/ed25519-key.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { isSignature, TestKey } from '../../../authentication/parties.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

describe('A seed file', () => {
  const folder = useTemporaryFolder();
  const seedIn = (file: string) => withSeedFile(file, 'the key', (seed) => seed.toString('hex'));
  const put = (content: string | Uint8Array, mode = 0o600) => {
    const file = folder.file('a.key', content);
    chmodSync(file, mode);
    return file;
  };

  it('is created with a unique seed, accessible only by its owner', () => {
    const [one, other] = [folder.path('one.key'), folder.path('other.key')];
    for (const file of [one, other]) createSeedFile(file);
    expect(statSync(one).mode & 0o777).to.equal(0o600);
    expect(readFileSync(one, 'utf8')).to.equal(`${seedIn(one)}\n`);
    expect(seedIn(one))
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(seedIn(other));
  });

  it('replaces nothing, not even a dangling link', () => {
    symlinkSync(folder.path('nothing'), folder.path('link.key'));
    for (const file of [put('x'), folder.path('link.key')]) {
      expect(() => createSeedFile(file))
        .to.throw(OperatorError)
        .and.to.satisfy(isExistingFile);
    }
  });

  it('holds 64 hex digits or 32 bytes, and nothing else', () => {
    const seed = '07'.repeat(32);
    for (const content of [`${seed}\n`, Buffer.from(seed, 'hex')]) expect(seedIn(put(content))).to.equal(seed);
    for (const content of [seed.slice(2), `${seed}00`, 'x'.repeat(64), ` ${seed}`]) {
      expect(() => seedIn(put(content))).to.throw(OperatorError, 'neither 64 hex digits nor 32 raw bytes');
    }
  });

  it('is rejected if others have access, with an error that names its purpose', () => {
    expect(() => seedIn(put('07'.repeat(32), 0o644))).to.throw(OperatorError, 'other users have access to the key');
  });
});

describe('Ed25519Key', () => {
  it('signs with the key of its seed, until it is destroyed', () => {
    const { seed, publicKey } = new TestKey(7);
    const key = new Ed25519Key(Buffer.from(seed));
    expect(key.publicKey.equals(publicKey)).to.equal(true);
    const message = Buffer.from('message');
    expect(isSignature(publicKey, message, key.sign(message))).to.equal(true);
    key.destroy();
    key.destroy();
    expect(() => key.sign(message)).to.throw('freed');
  });
});

describe('decodePlainKey', () => {
  /** The key; undefined if invalid. */
  function decode(content: string | Uint8Array, length = 32): Buffer | undefined {
    const key = Buffer.alloc(length);
    return decodePlainKey(Buffer.from(content), key) ? key : undefined;
  }

  it('accepts any raw bytes except hex digits alone', () => {
    const key = Buffer.concat([Buffer.alloc(31, 0xee), Buffer.from('\n')]);
    expect(decode(key)).to.deep.equal(key);
    expect(decode('0123456789abcdefABCDEF0123456789')).to.equal(undefined);
    expect(decode('0123456789abcdefABCDEF012345678\n')).to.deep.equal(Buffer.from('0123456789abcdefABCDEF012345678\n'));
  });

  it('accepts nothing else', () => {
    const hex = 'ab'.repeat(32);
    for (const text of [
      '',
      hex.slice(1),
      `${hex}0`,
      `${hex}\n\n`,
      `0x${hex}`,
      `0x${hex.slice(2)}`,
      ` ${hex.slice(1)}`,
    ]) {
      expect(decode(text), text).to.equal(undefined);
    }
  });
});
