import { expect } from 'chai';
import fc from 'fast-check';
import { MasterKey } from '../../../../../src/adapters/credentials/master-key/master-key.ts';
import {
  MIN_PASSPHRASE_COST,
  PASSPHRASE_COST,
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

  function wrap(cost = MIN_PASSPHRASE_COST): string {
    const key = MasterKey.fill((bytes) => WRAPPED.key.copy(bytes));
    made.push(key);
    return wrapMasterKey(key, PASSPHRASE, cost);
  }

  it('opens if created by other implementations of Argon2id and XChaCha20-Poly1305', () => {
    expect(opened(parsed(WRAPPED.text))?.equals(WRAPPED.key)).to.equal(true);
  });

  it('uses XChaCha20-Poly1305 with its header as associated data, as OpenSSL confirms', () => {
    const [nonce, ciphertext] = PARTS.slice(6).map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
    const header = PARTS.slice(0, 6).join('.');
    expect(openWithOpenssl(WRAPPED.wrappingKey, nonce, ciphertext, header).equals(WRAPPED.key)).to.equal(true);
  });

  it('opens with the passphrase with which it was wrapped', () => {
    expect(opened(parsed(wrap()))?.equals(WRAPPED.key)).to.equal(true);
  });

  it('contains its key id and cost, and a new salt and nonce each time', () => {
    const [first, second] = [wrap(), wrap()];
    expect(first).to.match(/^argon2id\.v1\.5585bb72d90715a0\.2\.67108864\.[\w-]{22}\.[\w-]{32}\.[\w-]{64}$/);
    for (const part of [5, 6, 7]) expect(first.split('.')[part]).to.not.equal(second.split('.')[part]);
  });

  it('costs 3 passes over 256 MiB by default', () => {
    expect(PASSPHRASE_COST).to.deep.equal({ passes: 3, memory: 256 * 1024 * 1024 });
    expect(opened(parsed(wrap(PASSPHRASE_COST)))?.equals(WRAPPED.key)).to.equal(true);
  });

  for (const passphrase of ['', 'correct horse Omega', `${WRAPPED.passphrase} `, WRAPPED.passphrase.toUpperCase()]) {
    it(`does not open with another passphrase: ${JSON.stringify(passphrase)}`, () => {
      expect(opened(parsed(WRAPPED.text), Buffer.from(passphrase))).to.equal(undefined);
    });
  }

  const alterations: readonly (readonly [string, number, string])[] = [
    ['id', 2, '5585bb72d90715a1'],
    ['number of passes', 3, '3'],
    ['memory', 4, '67108865'],
    ['salt', 5, 'AAECAwQFBgcICQoLDA0ODA'],
  ];
  for (const [name, part, value] of alterations) {
    it(`does not open with another ${name}`, () => {
      expect(opened(parsed(PARTS.with(part, value).join('.')))).to.equal(undefined);
    });
  }

  it('does not open when any bit of nonce or ciphertext was changed', () => {
    fc.assert(
      fc.property(fc.constantFrom(6, 7), fc.nat(), fc.nat(7), (part, position, bit) => {
        const bytes = Buffer.from(PARTS[part] ?? '', 'base64url');
        const index = position % bytes.length;
        bytes[index] = bytes.readUInt8(index) ^ (1 << bit);
        expect(opened(parsed(PARTS.with(part, bytes.toString('base64url')).join('.')))).to.equal(undefined);
      }),
      { numRuns: 6 },
    );
  }).timeout(60_000);

  const costs: readonly (readonly [string, string, string])[] = [
    ['one pass', '1', '67108864'],
    ['eleven passes', '11', '67108864'],
    ['less than 64 MiB', '2', '67108863'],
    ['more than 1 GiB', '2', '1073741825'],
    ['far more than there is', '999', '999999999999'],
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
    ['nothing', ''],
    ['another name of the algorithm', PARTS.with(0, 'argon2i').join('.')],
    ['another version', PARTS.with(1, 'v2').join('.')],
    ['an id in upper case', PARTS.with(2, '5585BB72D90715A0').join('.')],
    ['a number with a leading zero', PARTS.with(3, '02').join('.')],
    ['a malformed number', PARTS.with(4, '6e7').join('.')],
    ['a salt with stray bits', PARTS.with(5, 'AAECAwQFBgcICQoLDA0ODx').join('.')],
    ['a short nonce', PARTS.with(6, 'ZGVm').join('.')],
    ['a part more', `${WRAPPED.text}.x`],
    ['a line break behind it', `${WRAPPED.text}\n`],
    ['padding', `${WRAPPED.text}==`],
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
