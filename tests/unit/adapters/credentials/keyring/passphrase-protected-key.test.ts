import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/credentials/keyring/master-key.ts';
import {
  MIN_PASSPHRASE_COST,
  openProtectedKey,
  type PassphraseProtectedKey,
  parseProtectedKey,
  protectMasterKey,
} from '../../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { useWorkplace } from '../credentials-workplace.ts';
import { openWithOpenssl } from '../xchacha-by-openssl.ts';
import { PROTECTED } from './protected-key-vector.ts';

const PASSPHRASE = Buffer.from(PROTECTED.passphrase);
const PARTS = PROTECTED.text.split('.');

describe('A master key protected by a passphrase', () => {
  const workplace = useWorkplace();

  function parsed(text: string): PassphraseProtectedKey {
    return parseProtectedKey(text) ?? expect.fail('It should be a protected key.');
  }

  function opened(stored: PassphraseProtectedKey, passphrase: Buffer = PASSPHRASE): Buffer | undefined {
    let key: Buffer | undefined;
    const isOpened = openProtectedKey(stored, passphrase, (_, bytes) => {
      key = Buffer.from(bytes);
    });
    expect(isOpened).to.equal(key !== undefined);
    return key;
  }

  function protect(): string {
    const key = MasterKey.fill(workplace().vault, (bytes) => PROTECTED.key.copy(bytes));
    return protectMasterKey(key, PASSPHRASE, MIN_PASSPHRASE_COST);
  }

  it('opens if created by other implementations of Argon2id and XChaCha20-Poly1305', () => {
    expect(opened(parsed(PROTECTED.text))?.equals(PROTECTED.key)).to.equal(true);
  });

  it('uses XChaCha20-Poly1305 with its header as associated data, as OpenSSL confirms', () => {
    const [nonce, ciphertext] = PARTS.slice(6).map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
    const header = PARTS.slice(0, 6).join('.');
    expect(openWithOpenssl(PROTECTED.derivedKey, nonce, ciphertext, header).equals(PROTECTED.key)).to.equal(true);
  });

  it('opens with its passphrase, and contains key id and cost, and a new salt and nonce each time', () => {
    const [first, second] = [protect(), protect()];
    expect(first).to.match(/^argon2id\.v1\.5585bb72d90715a0\.2\.67108864\.[\w-]{22}\.[\w-]{32}\.[\w-]{64}$/);
    for (const part of [5, 6, 7]) expect(first.split('.')[part]).to.not.equal(second.split('.')[part]);
    expect(opened(parsed(first))?.equals(PROTECTED.key)).to.equal(true);
  });

  it('does not open with another passphrase', () => {
    expect(opened(parsed(PROTECTED.text), Buffer.from(`${PROTECTED.passphrase} `))).to.equal(undefined);
  });

  it('does not open with another id', () => {
    expect(opened(parsed(PARTS.with(2, '5585bb72d90715a1').join('.')))).to.equal(undefined);
  });

  const costs: readonly (readonly [string, string, string])[] = [
    ['one pass', '1', '67108864'],
    ['eleven passes', '11', '67108864'],
    ['less than 64 MiB', '2', '67108863'],
    ['more than 1 GiB', '2', '1073741825'],
  ];
  for (const [name, passes, memory] of costs) {
    it(`is rejected before any computation if it requires ${name}`, () => {
      const text = PARTS.with(3, passes).with(4, memory).join('.');
      expect(() => parseProtectedKey(text)).to.throw(OperatorError, '2 to 10 passes over 64 to 1024 MiB');
    });
  }

  it('is accepted at the maximum cost', () => {
    expect(parsed(PARTS.with(3, '10').with(4, '1073741824').join('.')).cost).to.deep.equal({
      passes: 10,
      memory: 1024 ** 3,
    });
  });

  const others: readonly (readonly [string, string])[] = [
    ['another version', PARTS.with(1, 'v2').join('.')],
    ['a number with a leading zero', PARTS.with(3, '02').join('.')],
    ['a salt with stray bits', PARTS.with(5, 'AAECAwQFBgcICQoLDA0ODx').join('.')],
    ['a line break behind it', `${PROTECTED.text}\n`],
  ];
  for (const [name, text] of others) {
    it(`is not parsed from text with ${name}`, () => {
      expect(parseProtectedKey(text)).to.equal(undefined);
    });
  }

  it('names the memory that it could not allocate', () => {
    // Beyond Argon2's limit: fails at once.
    const stored = { ...parsed(PROTECTED.text), cost: { passes: 2, memory: 2 ** 43 } };
    expect(() => opened(stored)).to.throw(OperatorError, '8388608 MiB of memory are needed');
  });
});
