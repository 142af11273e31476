import { chmodSync, readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { createSeedFile, withSeedFile } from '../../../../src/adapters/secret-files/seed-file.ts';
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

  it('holds 64 hex digits or 32 bytes, and nothing else', () => {
    const hex = 'Ab'.repeat(32);
    for (const content of [hex, `${hex}\n`, `${hex}\r\n`]) expect(seedIn(put(content))).to.equal(hex.toLowerCase());
    for (const raw of [Buffer.alloc(32, 7), Buffer.from(`${'1'.repeat(31)}\n`)]) {
      expect(seedIn(put(raw))).to.equal(raw.toString('hex'));
    }
    // Digits that were cut off in the middle are not raw bytes.
    const others = [hex.slice(0, 32), hex.slice(1), `${hex}0`, `${hex}\n\n`, 'x'.repeat(64), ` ${hex}`, `0x${hex}`];
    for (const content of others) {
      expect(() => seedIn(put(content)), content).to.throw(OperatorError, 'neither 64 hex digits nor 32 raw bytes');
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
