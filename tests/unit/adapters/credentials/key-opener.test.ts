import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HDNodeWallet } from 'ethers';
import {
  type KeyFileReference,
  type KeySpec,
  withAccountKeyFile,
} from '../../../../src/adapters/credentials/key-opener.ts';
import { KeyFileError } from '../../../../src/adapters/key-files/secret-file.ts';
import { SECRET_DECODINGS, type SecretDecoding } from '../../../../src/domain/model/account.ts';
import { ALGORITHMS, type Algorithm, isMacAlgorithm, MAC_ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import type { KeyFileFormat } from '../../../../src/ports/credential-editor.ts';
import { LENGTH_32 } from '../../../doubles/credential-builder.ts';
import { bs58 } from '../../../harness/base58.ts';
import { COSMJS_KEY } from '../../../vectors/cosmos/cosmjs.ts';
import { RSA_KEYS, RSA_KEYS_DER } from '../../../vectors/rsa-keys.ts';

/** RFC 8032 §7.1, test 1. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC_KEY = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
/** Algorithms whose keys come in every format. */
const CURVE_ALGORITHMS = ALGORITHMS.filter(
  (algorithm) => !isMacAlgorithm(algorithm) && !['starknet', 'rsa-sha256', 'es256'].includes(algorithm),
);
const KEY_PAIR = JSON.stringify([...SEED, ...PUBLIC_KEY]);

const HARDHAT_MNEMONIC = 'test test test test test test test test test test test junk';

describe('withAccountKeyFile', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'account-key-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const readAs = (wanted: KeySpec, content: string | Uint8Array, reference: Partial<KeyFileReference> = {}): string => {
    const file = join(folder, 'id.json');
    writeFileSync(file, content);
    return withAccountKeyFile({ file, ...reference }, wanted, (key) => Buffer.from(key).toString('hex'));
  };
  const read = (content: string, algorithm: Algorithm, format?: KeyFileFormat): string =>
    readAs({ algorithm, lengths: LENGTH_32, secretDecoding: 'utf8' }, content, { format });

  it('reads a solana-keygen keypair file for ed25519, with the format named or detected', () => {
    expect(read(KEY_PAIR, 'ed25519')).to.equal(SEED.toString('hex'));
    expect(read(`${KEY_PAIR}\n`, 'ed25519', 'solana')).to.equal(SEED.toString('hex'));
  });

  it('rejects a keypair file for eip191 and names its algorithm', () => {
    for (const format of [undefined, 'solana'] as const) {
      expect(() => read(KEY_PAIR, 'eip191', format)).to.throw(
        KeyFileError,
        'id.json: it has more than 32 bytes; a Solana key pair has 64 bytes and is only for ed25519',
      );
    }
  });

  describe('of format mnemonic', () => {
    const { mnemonic, path, privateKey } = COSMJS_KEY;
    const readPath = (algorithm: Algorithm, content: string, derivationPath?: string): string =>
      readAs({ algorithm, lengths: LENGTH_32, secretDecoding: 'utf8' }, content, {
        format: 'mnemonic',
        derivationPath,
      });

    it('derives the first account of Cosmos or Ethereum wallets, or the key of a path', () => {
      expect(readPath('cosmos', mnemonic)).to.equal(privateKey.toString('hex'));
      for (const algorithm of ['eip191', 'eip712', 'hyperliquid-l1'] as const) {
        const wallet = HDNodeWallet.fromPhrase(HARDHAT_MNEMONIC, '', "m/44'/60'/0'/0/0");
        // https://hardhat.org/hardhat-network/docs/reference#accounts
        expect(wallet.address).to.equal('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
        expect(`0x${readPath(algorithm, HARDHAT_MNEMONIC)}`).to.equal(wallet.privateKey);
        expect(readPath(algorithm, mnemonic, path)).to.equal(privateKey.toString('hex'));
      }
    });

    it('is rejected for other algorithms, and with an invalid path, which is not quoted', () => {
      expect(() => readPath('ed25519', mnemonic)).to.throw(KeyFileError, 'cannot have the format mnemonic');
      expect(() => readPath('cosmos', mnemonic, mnemonic))
        .to.throw(KeyFileError, 'id.json: its derivation path must be m, then')
        .with.property('message')
        .that.does.not.include('economy');
    });

    it('is required for a path', () => {
      for (const format of [undefined, 'hex'] as const) {
        expect(() =>
          readAs({ algorithm: 'cosmos', lengths: LENGTH_32, secretDecoding: 'utf8' }, '00'.repeat(32), {
            format,
            derivationPath: path,
          }),
        ).to.throw(KeyFileError, 'its format is not mnemonic');
      }
    });
  });

  it('reads a base58 key with the prefix ed25519: only for ed25519, format named or detected', () => {
    const text = `ed25519:${bs58.encode(Buffer.concat([SEED, PUBLIC_KEY]))}\n`;
    for (const format of [undefined, 'base58'] as const) {
      expect(read(text, 'ed25519', format)).to.equal(SEED.toString('hex'));
      expect(() => read(text, 'eip712', format)).to.throw(KeyFileError, 'it has a key for Ed25519');
    }
  });

  it("rejects a text format for a key pair, regardless of the platform's secretDecoding", () => {
    for (const algorithm of CURVE_ALGORITHMS) {
      expect(() => read(SEED.toString('hex'), algorithm, 'utf8')).to.throw(
        KeyFileError,
        `id.json: a key for ${algorithm} cannot have the format utf8; set its format with --key-format or "format": ` +
          'raw, hex, base58, base64, pem, keystore, solana',
      );
      const wanted = { algorithm, lengths: LENGTH_32, secretDecoding: 'base64-text' } as const;
      expect(readAs(wanted, SEED.toString('hex'))).to.equal(SEED.toString('hex'));
    }
  });

  describe('with a Stark key', () => {
    const bytes = (number: bigint) => number.toString(16).padStart(64, '0');
    const digits = '543b6cf6c91817a87174aaea4fb370ac1c694e864d7740d728f8344d53e815';

    it('reads hex digits without their leading zeros, an odd number of them too, with or without a format', () => {
      for (const text of [`0x${digits}`, `0x0${digits}`, `0x00${digits}\n`, '0x5', '0x0', `0x${'f'.repeat(64)}`]) {
        const expected = bytes(BigInt(text.trim()));
        expect(read(text, 'starknet'), text).to.equal(expected);
        expect(read(text, 'starknet', 'hex'), text).to.equal(expected);
      }
      expect(read(`00${digits}`, 'starknet')).to.equal(`00${digits}`);
      expect(read(digits, 'starknet', 'hex')).to.equal(`00${digits}`);
    });

    it('rejects other formats, named or detected, and digits that are too many or none', () => {
      expect(() => read(digits, 'starknet', 'base58')).to.throw(
        KeyFileError,
        'a key for starknet cannot have the format base58; set its format with --key-format or "format": raw, hex',
      );
      for (const text of [KEY_PAIR, digits]) {
        expect(() => read(text, 'starknet'), text).to.throw(KeyFileError, 'its format cannot be detected');
      }
      for (const text of ['0x', `0x${'1'.repeat(65)}`, '0x5g']) {
        expect(() => read(text, 'starknet', 'hex'), text).to.throw(KeyFileError);
      }
    });
  });

  describe('with an RSA key', () => {
    const RSA: KeySpec = { algorithm: 'rsa-sha256', lengths: { min: 1000, max: 2400 }, secretDecoding: 'utf8' };
    const pkcs1 = (index: number): Buffer => Buffer.from(RSA_KEYS_DER[index] ?? []);
    const pemOf = (index: number): string => RSA_KEYS[index] ?? '';
    const traditional = (index: number): string =>
      String(createPrivateKey(pemOf(index)).export({ format: 'pem', type: 'pkcs1' }));
    const pkcs8 = (index: number): Buffer => createPrivateKey(pemOf(index)).export({ format: 'der', type: 'pkcs8' });

    it('reads PEM of OpenSSL, PKCS#8 and RSA PRIVATE KEY, with the format named or detected', () => {
      for (const index of RSA_KEYS.keys()) {
        for (const content of [pemOf(index), traditional(index)]) {
          expect(readAs(RSA, content)).to.equal(pkcs1(index).toString('hex'));
          expect(readAs(RSA, content, { format: 'pem' })).to.equal(pkcs1(index).toString('hex'));
        }
      }
    });

    it('reads DER, PKCS#8 and RSAPrivateKey, raw or encoded, only with the format named', () => {
      for (const index of RSA_KEYS.keys()) {
        for (const der of [pkcs1(index), pkcs8(index)]) {
          expect(readAs(RSA, der, { format: 'raw' })).to.equal(pkcs1(index).toString('hex'));
          expect(readAs(RSA, der.toString('hex'), { format: 'hex' })).to.equal(pkcs1(index).toString('hex'));
          expect(readAs(RSA, der.toString('base64'), { format: 'base64' })).to.equal(pkcs1(index).toString('hex'));
          expect(() => readAs(RSA, der)).to.throw(KeyFileError, 'its format cannot be detected');
        }
      }
    });

    it('rejects RSA keys of an unsuitable size or exponent, encrypted ones, and keys of curves', () => {
      const rsa = (modulusLength: number, publicExponent: number) =>
        generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;
      const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' });
      const encryption = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
      const curveKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      const wrong: readonly (readonly [string | Buffer, string])[] = [
        [pem(rsa(1024, 65_537)), 'it is an RSA key of 1024 bits; 2048 to 4096 are required'],
        [pem(rsa(2048, 3)), 'its public exponent is unsuitable; use an RSA key with exponent 65537'],
        [createPrivateKey(pemOf(0)).export({ ...encryption, type: 'pkcs8' }), 'its key is encrypted with a password'],
        [createPrivateKey(pemOf(0)).export({ ...encryption, type: 'pkcs1' }), 'its key is encrypted with a password'],
        [pem(curveKey), 'it has a key for P-256, but one for RSA is required'],
        [curveKey.export({ format: 'pem', type: 'sec1' }), 'it has a key for an elliptic curve, but one for RSA'],
        [`${pemOf(0)}${pemOf(1)}`, 'it has content after its PEM block; keep one key per file'],
      ];
      for (const [content, problem] of wrong) expect(() => readAs(RSA, content)).to.throw(KeyFileError, problem);
    });

    it('rejects formats of other keys, and RSA keys for other algorithms', () => {
      expect(() => readAs(RSA, pemOf(0), { format: 'keystore' })).to.throw(
        KeyFileError,
        'a key for rsa-sha256 cannot have the format keystore; set its format with --key-format or "format": raw, hex, base64, pem',
      );
      for (const algorithm of ['ed25519', 'es256', 'eip191'] as const) {
        for (const content of [pemOf(0), traditional(0)]) {
          expect(() => read(content, algorithm)).to.throw(KeyFileError, 'it has a key for RSA, but one for ');
        }
      }
    });
  });

  describe('with an HMAC secret', () => {
    const TEXT = '0123456789abcdef0123456789abcdef';
    const hexOf = (content: string, encoding: BufferEncoding = 'utf8') =>
      Buffer.from(content, encoding).toString('hex');
    const meanings: { readonly [Name in SecretDecoding]: string } = {
      utf8: hexOf(TEXT),
      hex: TEXT,
      base64: hexOf(TEXT, 'base64'),
      base64url: hexOf(TEXT, 'base64url'),
      'base64-text': hexOf(Buffer.from(TEXT).toString('base64')),
    };

    const secret = (secretDecoding: SecretDecoding, algorithm: Algorithm = 'hmac-sha256'): KeySpec => ({
      ...{ algorithm, lengths: { min: 1, max: 1024 }, secretDecoding },
    });

    it('decodes the text by the platform setting, or by a named format, without guessing it', () => {
      for (const decoding of SECRET_DECODINGS) {
        for (const algorithm of MAC_ALGORITHMS) {
          expect(readAs(secret(decoding, algorithm), `${TEXT}\n`), decoding).to.equal(meanings[decoding]);
        }
        for (const format of SECRET_DECODINGS) {
          expect(readAs(secret(decoding), TEXT, { format })).to.equal(meanings[format]);
        }
        expect(readAs(secret(decoding), `${TEXT}\n`, { format: 'raw' })).to.equal(hexOf(`${TEXT}\n`));
      }
    });

    it('rejects formats of other keys before reading the file', () => {
      for (const format of ['pem', 'base58'] as const) {
        const file = join(folder, 'missing');
        expect(() => withAccountKeyFile({ file, format }, secret('utf8'), () => 'reached')).to.throw(
          KeyFileError,
          `missing: an HMAC secret cannot have the format ${format}; set its format with --key-format or "format": ` +
            'raw, hex, base64, base64url, utf8, base64-text',
        );
      }
    });
  });
});
