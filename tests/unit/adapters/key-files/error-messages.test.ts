import { expect } from 'chai';
import fc from 'fast-check';
import { KEY_FORMATS, type KeyFormat, TEXT_FORMATS } from '../../../../src/adapters/key-files/detect-key-format.ts';
import { type KeyFileOptions, withKeyFile } from '../../../../src/adapters/key-files/key-file.ts';
import { PBKDF2_VECTOR } from './keystores.ts';
import * as openssl from './openssl-keys.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const RUN = 6;
const SEED = 20_261_120;
const FORMATS: readonly (KeyFormat | undefined)[] = [undefined, ...KEY_FORMATS, ...TEXT_FORMATS];

/** Names and constants of the standard. */
const STANDARD_WORDS =
  /"(?:[cC]rypto|cipher|cipherparams|ciphertext|kdf|kdfparams|version|dklen|salt|pbkdf2|scrypt|prf|hmac-sha256|aes-128-ctr)"/g;

describe('withKeyFile errors', () => {
  const folder = useTemporaryFolder();

  /** All text of the error and its causes; undefined on success. */
  const formatError = (content: string | Uint8Array, options: Partial<KeyFileOptions> = {}): string | undefined => {
    try {
      withKeyFile({ file: folder.file('k', content), lengths: { min: 32, max: 32 }, ...options }, () => 0);
      return undefined;
    } catch (error) {
      return textOf(error).replaceAll(folder.path(''), '');
    }
  };

  /** Whether reading fails, with an error that has no part of the secrets. */
  const expectNoEcho = (
    content: string | Uint8Array,
    secrets: readonly string[],
    options: Partial<KeyFileOptions> = {},
  ): boolean => {
    const text = formatError(content, options);
    if (text === undefined) return false;
    for (const secret of secrets) {
      for (let start = 0; start + RUN <= secret.length; start += 1) {
        const run = secret.slice(start, start + RUN);
        if (text.includes(run)) expect.fail(`${options.format}: ${JSON.stringify(run)} is in ${JSON.stringify(text)}`);
      }
    }
    return true;
  };

  it('reveal nothing of text that is not a key', () => {
    const text = fc.string({ unit: 'binary-ascii', minLength: RUN, maxLength: 90 });
    fc.assert(
      fc.property(text, fc.constantFrom(...FORMATS), (content, format) => {
        const passwordFile = format === 'keystore' ? folder.file('p', 'password') : undefined;
        expect(expectNoEcho(content, [content], { format, passwordFile })).to.equal(true);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it('reveal nothing of a key with one invalid character or of the wrong length', () => {
    const digits = { hex: '0123456789abcdef', base58: '123ABCDEFabcdefxyz', base64: '0123ABCDEFabcdef+/' } as const;
    for (const format of ['hex', 'base58', 'base64'] as const) {
      const text = fc.string({ unit: fc.constantFrom(...digits[format]), minLength: 40, maxLength: 200 });
      fc.assert(
        fc.property(text, fc.constantFrom('!', ' ', '\n', '=', ''), fc.nat({ max: 200 }), (key, wrong, place) => {
          const content = `${key.slice(0, place)}${wrong}${key.slice(place)}`;
          expectNoEcho(content, [content], { format });
          expectNoEcho(content, [content]);
        }),
        { seed: SEED, numRuns: 40 },
      );
    }
  });

  it('reveal nothing of a number array with one invalid character or of the wrong length', () => {
    const numbers = fc.uint8Array({ minLength: 30, maxLength: 70 });
    const wrong = fc.constantFrom('!', '-', '0', ' ', '[', ',', '.5', 'e1', '');
    fc.assert(
      fc.property(numbers, wrong, fc.nat({ max: 280 }), fc.boolean(), (key, added, place, allowSeedWithPublicKey) => {
        const text = JSON.stringify([...key]);
        const content = `${text.slice(0, place)}${added}${text.slice(place)}`;
        expectNoEcho(content, [content], { format: 'solana', allowSeedWithPublicKey });
        expectNoEcho(content, [content], { allowSeedWithPublicKey });
      }),
      { seed: SEED, numRuns: 40 },
    );
    const pair = JSON.stringify(Array.from({ length: 64 }, (_, index) => index + 100));
    expect(expectNoEcho(pair, [pair], { allowSeedWithPublicKey: true })).to.equal(true);
    expect(expectNoEcho(pair, [pair], { format: 'solana' })).to.equal(true);
  });

  it('reveal nothing of a PEM body', () => {
    const kinds = Object.values(openssl).filter((value) => typeof value === 'string');
    for (const pem of kinds) {
      const broken = [
        pem.replace('M', 'N'),
        `${pem}x`,
        pem.slice(0, -40),
        pem.replaceAll('\n', '\\n'),
        JSON.stringify({ privateKey: pem }),
      ];
      for (const content of broken) {
        const lines = content.split(/\n|\\n/).filter((line) => !line.includes('-----'));
        expectNoEcho(content, lines, { format: 'pem', curve: 'ed25519' });
        expectNoEcho(content, lines, { curve: 'secp256k1' });
      }
    }
    expect(expectNoEcho(`${openssl.ED25519_PKCS8}x`, openssl.ED25519_PKCS8.split('\n').slice(1, 2))).to.equal(true);
  });

  it('reveal only standard names of a keystore, and nothing of its password', () => {
    const good = JSON.stringify(PBKDF2_VECTOR).replace('262144', '1000');
    const bad = [
      good,
      good.slice(0, -1),
      good.slice(0, 200),
      good.replace('"version":3', '"version":1234567'),
      good.replace('5318b4', '5318zz'),
      good.replace('6087da', '0x6087da'),
      good.replace('aes-128-ctr', 'rot-thirteen'),
      good.replace('"pbkdf2"', '"argon2id"'),
      good.replace('1000', '98765432'),
      '{"privateKey":"c5aa8df43f9f837bedb7442f31dcb7b166d38535"}',
      '{"ciphertext":c5aa8df43f9f837bedb7442f31dcb7b166d38535}',
    ];
    const password = 'Tr0ub4dor-and-3';
    for (const content of bad) {
      const passwordFile = folder.file('p', password);
      const secrets = [...content.replaceAll(STANDARD_WORDS, '\n').split('\n'), password];
      expect(expectNoEcho(content, secrets, { passwordFile }), content).to.equal(true);
    }
  });
});

/** Name, message and own fields of an error and its causes, without stacks. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = Object.entries(error).map(([name, value]) => `${name}=${String(value)}`);
  return [error.name, error.message, ...fields, error.cause === undefined ? '' : textOf(error.cause)].join('\n');
}
