import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/credentials/master-key/master-key.ts';
import {
  MIN_PASSPHRASE_COST,
  parseWrappedMasterKey,
  unwrapMasterKey,
  type WrappedMasterKey,
  WrappedMasterKeyError,
  wrapMasterKey,
} from '../../../../../src/adapters/credentials/master-key/wrapped-master-key.ts';
import { openWithOpenssl } from '../xchacha-by-openssl.ts';
import { WRAPPED } from './wrapped-key-vector.ts';

const PASSPHRASE = Buffer.from(WRAPPED.passphrase);
const PARTS = WRAPPED.text.split('.');

describe('A wrapped master key', () => {
  const made: MasterKey[] = [];
  afterEach(() => {
    for (const key of made.splice(0)) key.destroy();
  });

  function parsed(text: string): WrappedMasterKey {
    return parseWrappedMasterKey(text) ?? expect.fail('It should be a wrapped key.');
  }

  function opened(wrapped: WrappedMasterKey, passphrase: Buffer = PASSPHRASE): Buffer | undefined {
    const key = unwrapMasterKey(wrapped, passphrase);
    if (key !== undefined) made.push(key);
    return key?.use((bytes) => Buffer.from(bytes));
  }

  function wrap(): string {
    const key = MasterKey.fill((bytes) => WRAPPED.key.copy(bytes));
    made.push(key);
    return wrapMasterKey(key, PASSPHRASE, MIN_PASSPHRASE_COST);
  }

  it('opens if created by other implementations of Argon2id and XChaCha20-Poly1305', () => {
    expect(opened(parsed(WRAPPED.text))?.equals(WRAPPED.key)).to.equal(true);
  });

  it('uses XChaCha20-Poly1305 with its header as associated data, as OpenSSL confirms', () => {
    const [nonce, ciphertext] = PARTS.slice(6).map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
    const header = PARTS.slice(0, 6).join('.');
    expect(openWithOpenssl(WRAPPED.wrappingKey, nonce, ciphertext, header).equals(WRAPPED.key)).to.equal(true);
  });

  it('opens with its passphrase, and contains key id and cost, and a new salt and nonce each time', () => {
    const [first, second] = [wrap(), wrap()];
    expect(first).to.match(/^argon2id\.v1\.5585bb72d90715a0\.2\.67108864\.[\w-]{22}\.[\w-]{32}\.[\w-]{64}$/);
    for (const part of [5, 6, 7]) expect(first.split('.')[part]).to.not.equal(second.split('.')[part]);
    expect(opened(parsed(first))?.equals(WRAPPED.key)).to.equal(true);
  });

  it('does not open with another passphrase', () => {
    expect(opened(parsed(WRAPPED.text), Buffer.from(`${WRAPPED.passphrase} `))).to.equal(undefined);
  });

  const alterations: readonly (readonly [string, number, string])[] = [
    ['id', 2, '5585bb72d90715a1'],
    ['ciphertext', 7, `A${PARTS[7]?.slice(1)}`],
  ];
  for (const [name, part, value] of alterations) {
    it(`does not open with another ${name}`, () => {
      expect(opened(parsed(PARTS.with(part, value).join('.')))).to.equal(undefined);
    });
  }

  const costs: readonly (readonly [string, string, string])[] = [
    ['one pass', '1', '67108864'],
    ['eleven passes', '11', '67108864'],
    ['less than 64 MiB', '2', '67108863'],
    ['more than 1 GiB', '2', '1073741825'],
  ];
  for (const [name, passes, memory] of costs) {
    it(`is rejected before any computation if it requires ${name}`, () => {
      const text = PARTS.with(3, passes).with(4, memory).join('.');
      expect(() => parseWrappedMasterKey(text)).to.throw(WrappedMasterKeyError, '2 to 10 passes over 64 to 1024 MiB');
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
    ['a line break behind it', `${WRAPPED.text}\n`],
  ];
  for (const [name, text] of others) {
    it(`is not parsed from text with ${name}`, () => {
      expect(parseWrappedMasterKey(text)).to.equal(undefined);
    });
  }

  it('names the memory that it could not allocate', () => {
    // Beyond Argon2's limit: fails at once.
    const wrapped = { ...parsed(WRAPPED.text), cost: { passes: 2, memory: 2 ** 43 } };
    expect(() => opened(wrapped)).to.throw(WrappedMasterKeyError, '8388608 MiB of memory are needed');
  });
});
