import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withAccountKeyFile } from '../../../../../src/adapters/driven/credential-source/account-key-file.ts';
import type { Algorithm } from '../../../../../src/domain/model/algorithm.ts';
import { KeyFileError } from '../../../../../src/secure-memory/key-file-error.ts';

/** RFC 8032 §7.1, test 1. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC_KEY = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
const KEY_PAIR = JSON.stringify([...SEED, ...PUBLIC_KEY]);

describe('withAccountKeyFile', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'account-key-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = (content: string, algorithm: Algorithm, format?: 'solana'): string => {
    const file = join(folder, 'id.json');
    writeFileSync(file, content);
    return withAccountKeyFile({ file, format }, algorithm, 32, (key) => Buffer.from(key).toString('hex'));
  };

  it('reads the keypair file of solana-keygen for ed25519, named or told from its content', () => {
    expect(read(KEY_PAIR, 'ed25519')).to.equal(SEED.toString('hex'));
    expect(read(`${KEY_PAIR}\n`, 'ed25519', 'solana')).to.equal(SEED.toString('hex'));
  });

  it('refuses a keypair file whose public key is another', () => {
    const other = JSON.stringify([...SEED, ...SEED]);
    expect(() => read(other, 'ed25519')).to.throw(KeyFileError, 'not the Ed25519 public key of its first');
  });

  it('refuses a keypair file for eip191, and says for what it is', () => {
    for (const format of [undefined, 'solana'] as const) {
      expect(() => read(KEY_PAIR, 'eip191', format)).to.throw(
        KeyFileError,
        'id.json: it holds more than 32 bytes; a Solana key pair has 64 and is a key for ed25519 alone',
      );
    }
  });

  it('reads 32 numbers for either algorithm', () => {
    for (const algorithm of ['ed25519', 'eip191'] as const) {
      expect(read(JSON.stringify([...SEED]), algorithm, 'solana')).to.equal(SEED.toString('hex'));
    }
  });
});
