import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { computeAddress, encryptKeystoreJsonSync, hexlify } from 'ethers';
import { decodeKeystore } from '../../../../src/adapters/key-files/keystore.ts';
import { decodedText, thrownBy } from './decoder-outcomes.ts';
import { PBKDF2_VECTOR, VECTOR_PASSWORD, VECTOR_PRIVATE_KEY } from './keystores.ts';

const decode = (document: unknown, password = VECTOR_PASSWORD, capacity = 32): string => {
  const json = typeof document === 'string' ? document : JSON.stringify(document);
  const secret = Buffer.from(password);
  return decodedText((text, output) => decodeKeystore(text, secret, output), json, capacity).toString('hex');
};
const refusal = (document: unknown): Error => thrownBy(() => decode(document));

describe('decodeKeystore', () => {
  it('decrypts the pbkdf2 vector of the specification', () => {
    expect(decode(PBKDF2_VECTOR)).to.equal(VECTOR_PRIVATE_KEY);
  });

  it('decrypts keystores encrypted by ethers', () => {
    const privateKey = hexlify(randomBytes(32));
    const account = { address: computeAddress(privateKey), privateKey };
    const json = encryptKeystoreJsonSync(account, 'pässword', { scrypt: { N: 4, r: 8, p: 1 } });
    expect(`0x${decode(json, 'pässword')}`).to.equal(privateKey);
  });

  it('accepts either spelling of "crypto", upper case hex, and unknown fields', () => {
    const { crypto, ...rest } = PBKDF2_VECTOR;
    const upper = { ...crypto, ciphertext: crypto.ciphertext.toUpperCase(), mac: crypto.mac.toUpperCase() };
    expect(decode({ ...rest, Crypto: upper, 'x-other': {}, address: '00' })).to.equal(VECTOR_PRIVATE_KEY);
  });

  it('reports a wrong password or a damaged keystore', () => {
    const message = 'its password is wrong, or the keystore is damaged';
    expect(thrownBy(() => decode(vector(), `${VECTOR_PASSWORD}\n`)).message).to.contain(message);
    const flipped = vector();
    flipped.crypto.ciphertext = `${flipped.crypto.ciphertext.slice(0, -1)}${flipped.crypto.ciphertext.endsWith('0') ? 1 : 0}`;
    expect(refusal(flipped).message).to.contain(message);
  });

  it('rejects output that is too small', () => {
    expect(thrownBy(() => decode(vector(), VECTOR_PASSWORD, 31)).message).to.contain('more than 31 bytes');
  });

  it('rejects anything but a JSON object', () => {
    const field = '"ciphertext"';
    for (const text of [field, `[${field}]`, `{${field}:`, `{${field}:1}}`, `{${field}:"\u0001"}`, `{${field}:1,}`]) {
      expect(refusal(text).name).to.equal('MalformedSecretError');
    }
  });

  describe('rejects, naming the field,', () => {
    const changes: readonly (readonly [string, string, (keystore: Keystore) => void])[] = [
      ['another version', 'version', (it) => set(it, 'version', 4)],
      ['no crypto section', 'crypto', (it) => Object.assign(it, { crypto: undefined, other: it.crypto })],
      ['two crypto sections', 'crypto', (it) => set(it, 'Crypto', it.crypto)],
      ['another cipher', 'cipher', (it) => set(it.crypto, 'cipher', 'aes-128-cbc')],
      ['a short iv', 'iv', (it) => set(it.crypto.cipherparams, 'iv', '00'.repeat(15))],
      ['an iv with 0x', 'iv', (it) => set(it.crypto.cipherparams, 'iv', `0x${'00'.repeat(15)}`)],
      ['a long ciphertext', 'ciphertext', (it) => set(it.crypto, 'ciphertext', '00'.repeat(33))],
      ['another kdf', 'kdf', (it) => set(it.crypto, 'kdf', 'argon2')],
      ['no kdf parameters', 'kdfparams', (it) => set(it.crypto, 'kdfparams', null)],
      ['a salt of 7 bytes', 'salt', (it) => set(it.crypto.kdfparams, 'salt', '00'.repeat(7))],
      ['a salt of 65 bytes', 'salt', (it) => set(it.crypto.kdfparams, 'salt', '00'.repeat(65))],
      ['a derived key of another length', 'dklen', (it) => set(it.crypto.kdfparams, 'dklen', 64)],
      ['another prf', 'prf', (it) => set(it.crypto.kdfparams, 'prf', 'hmac-sha512')],
      ['no iterations', 'c', (it) => set(it.crypto.kdfparams, 'c', 0)],
      ['too many iterations', 'c', (it) => set(it.crypto.kdfparams, 'c', 10_000_001)],
      ['an N that is no power of two', 'n', (it) => useScrypt(it, { n: 1000 })],
      ['an N beyond 2^20', 'n', (it) => useScrypt(it, { n: 2 ** 21 })],
      ['an N of 1', 'n', (it) => useScrypt(it, { n: 1 })],
      ['an r of 33', 'r', (it) => useScrypt(it, { r: 33 })],
      ['a p of 0', 'p', (it) => useScrypt(it, { p: 0 })],
      ['an r of 0', 'r', (it) => useScrypt(it, { r: 0 })],
      ['a p of 17', 'p', (it) => useScrypt(it, { p: 17 })],
      ['more than 1 GiB', '1 GiB', (it) => useScrypt(it, { n: 2 ** 20, r: 9 })],
    ];
    for (const [what, named, change] of changes) {
      it(what, () => {
        const keystore = vector();
        change(keystore);
        const error = refusal(keystore);
        expect(error.name).to.equal('MalformedSecretError');
        expect(error.message).to.contain(named === '1 GiB' ? named : `"${named}"`);
      });
    }

    it('fields that are only inherited', () => {
      const { crypto } = PBKDF2_VECTOR;
      const text = JSON.stringify({ version: 3, crypto: { ...crypto, kdfparams: {} } });
      const inherited = text.replace('"kdfparams":{}', `"kdfparams":{"__proto__":${JSON.stringify(crypto.kdfparams)}}`);
      expect(refusal(inherited).message).to.contain('"salt"');
    });
  });
});

type Keystore = typeof PBKDF2_VECTOR;

/** The pbkdf2 vector, to modify; rejected before derivation. */
function vector(): Keystore {
  return structuredClone(PBKDF2_VECTOR);
}

function set(section: object, name: string, value: unknown): void {
  Object.assign(section, { [name]: value });
}

function useScrypt(keystore: Keystore, parameters: object): void {
  set(keystore.crypto, 'kdf', 'scrypt');
  set(keystore.crypto, 'kdfparams', { dklen: 32, n: 1024, r: 8, p: 1, salt: '00'.repeat(32), ...parameters });
}
