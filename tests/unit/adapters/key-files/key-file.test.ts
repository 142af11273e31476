import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { encryptKeystoreJsonSync, hexlify } from 'ethers';
import { KEY_FORMATS, type KeyFormat } from '../../../../src/adapters/key-files/detect-key-format.ts';
import { type KeyFileOptions, withGeneratedKey, withKeyFile } from '../../../../src/adapters/key-files/key-file.ts';
import { KeyFileError } from '../../../../src/adapters/key-files/secret-file.ts';
import { bs58 } from '../../../harness/base58.ts';
import { ed25519PublicKey } from '../../../process-memory/secrets.ts';
import { RSA_KEYS } from '../../../vectors/rsa-keys.ts';
import { thrownBy } from './decoder-outcomes.ts';
import { ED25519_PKCS8, ED25519_PUBLIC, PRIVATE_KEYS, SECP256K1_SEC1_WITH_PARAMETERS } from './openssl-keys.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const KEY = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const LENGTH_32 = { min: 32, max: 32 };
const PASSWORD = 'correct horse';
const KEYSTORE = encryptKeystoreJsonSync({ address: `0x${'00'.repeat(20)}`, privateKey: hexlify(KEY) }, PASSWORD, {
  scrypt: { N: 2, r: 1, p: 1 },
});

describe('withKeyFile', () => {
  const folder = useTemporaryFolder();
  const read = (content: string | Uint8Array, options: Partial<KeyFileOptions> = {}): string =>
    withKeyFile({ file: folder.file('key', content), lengths: LENGTH_32, ...options }, (key) => key.toString('hex'));
  const refusal = (content: string | Uint8Array, options: Partial<KeyFileOptions> = {}): Error =>
    thrownBy(() => read(content, options));

  const spellings: readonly (readonly [KeyFormat, string | Uint8Array])[] = [
    ['raw', KEY],
    ['hex', KEY.toString('hex')],
    ['hex', `0x${KEY.toString('hex').toUpperCase()}\n`],
    ['base58', `${bs58.encode(KEY)}\n`],
    ['base64', `${KEY.toString('base64')}\n`],
    ['pem', pkcs8(KEY)],
    ['solana', `${JSON.stringify([...KEY])}\n`],
  ];
  it('reads each format if it is given', () => {
    for (const [format, content] of spellings) expect(read(content, { format }), format).to.equal(KEY.toString('hex'));
  });

  it('reads a keystore with its password, ignoring one final newline', () => {
    const passwordFile = folder.file('password', `${PASSWORD}\r\n`);
    expect(read(KEYSTORE, { format: 'keystore', passwordFile })).to.equal(KEY.toString('hex'));
    expect(read(KEYSTORE, { passwordFile })).to.equal(KEY.toString('hex'));
  });

  it('detects raw, hex, PEM, keystore and Solana key pairs from the content', () => {
    const json = JSON.stringify([...KEY], null, 1);
    for (const content of [
      KEY,
      KEY.toString('hex'),
      `0x${KEY.toString('hex').toUpperCase()}\r\n`,
      `\n\t\r ${json}\n`,
    ]) {
      expect(read(content)).to.equal(KEY.toString('hex'));
    }
    for (const start of ['{', '[', 'ed25519:']) {
      const raw = Buffer.concat([Buffer.from(start), KEY.subarray(start.length)]);
      expect(read(raw), 'not all text').to.equal(raw.toString('hex'));
    }
    expect(read(ED25519_PKCS8)).to.equal(PRIVATE_KEYS.ed25519);
    expect(read(SECP256K1_SEC1_WITH_PARAMETERS)).to.equal(PRIVATE_KEYS.secp256k1Sec1);
  });

  it('requires a format, and lists the formats, if the content is ambiguous', () => {
    const doubtful: readonly (string | Uint8Array)[] = [
      bs58.encode(KEY),
      KEY.toString('base64'),
      Buffer.concat([KEY, Buffer.from('\n')]),
      `${KEY.toString('hex')}00`,
      ` ${KEY.toString('hex')}`,
      `\v${JSON.stringify([...KEY])}`,
      KEY.toString('hex').slice(0, 32),
    ];
    for (const content of doubtful) {
      const { message } = refusal(content);
      expect(message).to.contain('--key-format').and.to.contain('"format"');
      expect(message).to.contain('raw, hex, base58, base64, pem, keystore, solana');
      expect(message).to.contain(folder.path('key'));
    }
  });

  it('rejects a key of the wrong length in every format', () => {
    for (const length of [31, 33, 64]) {
      const key = Buffer.alloc(length, 0xee);
      for (const [format, content] of [
        ['raw', key],
        ['hex', key.toString('hex')],
        ['base58', bs58.encode(key)],
        ['base64', key.toString('base64')],
        ['solana', JSON.stringify([...key])],
      ] as const) {
        const error = refusal(content, { format });
        expect(error).to.be.instanceOf(KeyFileError);
        expect(error.message).to.match(/: it has (?:more than 32|\d+) bytes/);
      }
    }
  });

  it('rejects one format declared as another', () => {
    for (const [format, content] of spellings) {
      for (const other of KEY_FORMATS) {
        if (other === format) continue;
        const options = other === 'keystore' ? { passwordFile: folder.file('password', PASSWORD) } : {};
        expect(refusal(content, { ...options, format: other }), `${format} as ${other}`).to.be.instanceOf(KeyFileError);
      }
    }
  });

  it('names the file in decoder errors', () => {
    const error = refusal('zz'.repeat(32), { format: 'hex' });
    expect(error).to.be.instanceOf(KeyFileError).with.property('file', folder.path('key'));
    expect(error.message).to.equal(
      `${folder.path('key')}: it has a character that is not a hexadecimal digit (0-9, a-f, A-F)`,
    );
  });

  it('names a missing or empty password file', () => {
    const missing = folder.path('missing');
    expect(refusal(KEYSTORE, { passwordFile: missing }).message).to.contain(`${missing}: no such file`);
    const empty = folder.file('password', '');
    expect(refusal(KEYSTORE, { passwordFile: empty }).message).to.contain(`${empty}: it is empty`);
  });

  it('requires a password for a keystore, and rejects one for anything else', () => {
    expect(refusal(KEYSTORE).message).to.contain('give the file with its password');
    const passwordFile = folder.file('password', PASSWORD);
    expect(refusal(KEY, { passwordFile }).message).to.contain('remove the password file');
    expect(refusal(KEYSTORE, { passwordFile: folder.file('other', 'wrong') }).message).to.contain('password is wrong');
  });

  it('rejects files larger than 16 KiB', () => {
    expect(refusal(Buffer.alloc(16_385, 0x20)).message).to.contain('larger than the allowed 16384 bytes');
  });

  describe('with \\n in place of the line breaks of PEM', () => {
    const inJson = JSON.stringify(
      SECP256K1_SEC1_WITH_PARAMETERS.slice(SECP256K1_SEC1_WITH_PARAMETERS.indexOf('-----BEGIN EC PRIV')),
    );
    const pasted = inJson.slice(1, -1);
    it('names a command that mends the file, whatever key is required', () => {
      for (const content of [pasted, `${inJson}\n`, pasted.replaceAll('\\n', '\\r\\n')]) {
        for (const options of [{ format: 'pem' }, { curve: 'p256' }, { isRsa: true }] as const) {
          expect(refusal(content, options).message).to.contain('its PEM has the two characters \\n (backslash and n)');
        }
      }
      for (const content of [pasted, `${inJson}\n`]) {
        const { message } = refusal(content);
        const command = message.slice(message.indexOf('sed ')).replace('FILE', '"$1"');
        execFileSync('sh', ['-c', command, 'sh', folder.path('key')]);
        const options = { file: folder.path('key'), lengths: LENGTH_32, curve: 'secp256k1' } as const;
        expect(withKeyFile(options, (key) => key.toString('hex'))).to.equal(PRIVATE_KEYS.secp256k1Sec1);
      }
    });

    it('recognizes the JSON file around it, also where a keystore is possible', () => {
      const file = JSON.stringify({ name: 'organizations/o/apiKeys/k', privateKey: JSON.parse(inJson) }, null, 3);
      for (const content of [file, ` \n${file}`]) {
        for (const format of [undefined, 'pem', 'keystore'] as const) {
          const passwordFile = format === 'keystore' ? folder.file('password', PASSWORD) : undefined;
          const { message } = refusal(content, { format, passwordFile });
          expect(message).to.contain('it is a JSON file with a PEM key in it; save only that key');
        }
      }
    });
  });

  it('says that a public key or certificate is no private key', () => {
    const rsa = createPublicKey(RSA_KEYS[0] ?? '');
    const body = ED25519_PUBLIC.split('\n')[1];
    const labeled = (label: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
    const wrong: readonly (readonly [string, string])[] = [
      ['a public key', ED25519_PUBLIC],
      ['a public key', rsa.export({ format: 'pem', type: 'pkcs1' }).toString()],
      ['a public key', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ== user@host\n'],
      [
        'a public key',
        '---- BEGIN SSH2 PUBLIC KEY ----\nAAAAC3NzaC1lZDI1NTE5AAAAIA==\n---- END SSH2 PUBLIC KEY ----\n',
      ],
      ['a certificate', labeled('CERTIFICATE')],
    ];
    const kinds = [{}, { curve: 'ed25519' }, { curve: 'p256' }, { isRsa: true }, { isNumber: true }] as const;
    for (const [what, content] of wrong) {
      for (const kind of kinds) {
        for (const format of [undefined, 'pem'] as const) {
          expect(refusal(content, { ...kind, format }).message).to.contain(
            `${folder.path('key')}: it has ${what}, but a private key is required; give the file of the private key`,
          );
        }
      }
    }
  });

  describe('of varying length', () => {
    const lengths = { min: 1, max: 1024 };
    const visible = (length: number) => Buffer.from(Array.from({ length }, (_, i) => 0x21 + (i % 94)));

    it('reads secrets of 1 and 1024 bytes in every format that a secret has', () => {
      for (const length of [1, 1024]) {
        const secret = visible(length);
        for (const [format, content] of [
          ['raw', secret],
          ['hex', secret.toString('hex')],
          ['base64', `${secret.toString('base64')}\n`],
          ['base64url', secret.toString('base64url')],
          ['utf8', `${secret.toString()}\r\n`],
        ] as const) {
          expect(read(content, { lengths, format }), format).to.equal(secret.toString('hex'));
        }
      }
    });

    it('rejects a secret below the minimum length', () => {
      const error = refusal('short', { lengths: { min: 6, max: 7 }, format: 'utf8' });
      expect(error.message).to.contain('it has 5 bytes; a private key of 6 to 7 bytes is required');
    });

    it('never guesses the format', () => {
      for (const content of [visible(32).toString('hex'), Buffer.alloc(1024, 0xee), pkcs8(KEY), KEYSTORE]) {
        expect(refusal(content, { lengths }).message).to.contain('its format cannot be detected');
      }
    });
  });

  describe('with the prefix ed25519:', () => {
    const text = `ed25519:${bs58.encode(KEY)}`;
    const pair = `ed25519:${bs58.encode(Buffer.concat([KEY, ed25519PublicKey(KEY)]))}`;

    it('reads the key after it, also if detected from the content', () => {
      for (const content of [text, `${text}\n`]) {
        for (const options of [{}, { format: 'base58' }, { curve: 'ed25519' }] as const) {
          expect(read(content, options)).to.equal(KEY.toString('hex'));
        }
      }
      expect(read(pair, { allowSeedWithPublicKey: true })).to.equal(KEY.toString('hex'));
    });

    it('rejects it twice, in capitals, alone, and after a space', () => {
      for (const content of [`ed25519:${text}`, text.replace('ed25519', 'ED25519'), 'ed25519:', ` ${text}`]) {
        expect(refusal(content, { format: 'base58' })).to.be.instanceOf(KeyFileError);
      }
    });
  });

  describe('with a seed and its public key', () => {
    const pair = Buffer.concat([KEY, ed25519PublicKey(KEY)]);
    const forms: readonly (readonly [KeyFormat, string | Uint8Array])[] = [
      ['raw', pair],
      ['hex', pair.toString('hex')],
      ['base58', bs58.encode(pair)],
      ['base64', pair.toString('base64')],
      ['solana', JSON.stringify([...pair])],
    ];

    it('passes the seed from each format if allowed for that length', () => {
      for (const [format, content] of forms) {
        expect(read(content, { format, allowSeedWithPublicKey: true })).to.equal(KEY.toString('hex'));
        expect(refusal(content, { format }).message).to.contain('it has more than 32 bytes');
        const options = { format, allowSeedWithPublicKey: true, lengths: { min: 33, max: 33 } };
        expect(refusal(content, options).message).to.contain('it has more than 33 bytes');
      }
      expect(read(KEY, { allowSeedWithPublicKey: true })).to.equal(KEY.toString('hex'));
    });

    it('detects it from the content only in hex and in solana-keygen JSON', () => {
      expect(read(JSON.stringify([...pair]), { allowSeedWithPublicKey: true })).to.equal(KEY.toString('hex'));
      expect(read(`0x${pair.toString('hex')}\n`, { allowSeedWithPublicKey: true })).to.equal(KEY.toString('hex'));
      expect(refusal(pair, { allowSeedWithPublicKey: true }).message).to.contain('cannot be detected');
      expect(refusal(pair.toString('hex')).message).to.contain('cannot be detected');
    });

    it('rejects a public key that does not match the seed', () => {
      for (const index of [0, 31, 32, 63]) {
        const wrong = Buffer.from(pair);
        wrong[index] = (pair[index] ?? 0) ^ 0x10;
        const error = refusal(wrong, { format: 'raw', allowSeedWithPublicKey: true });
        expect(error.message, `byte ${index}`).to.contain('not the Ed25519 public key of its first');
      }
    });
  });
});

describe('withGeneratedKey', () => {
  it('passes fresh random bytes of the requested length, and frees the memory', () => {
    const kept: Buffer[] = [];
    const keys = Array.from({ length: 50 }, () =>
      withGeneratedKey(32, (key) => {
        kept.push(key);
        return key.toString('hex');
      }),
    );
    expect(new Set(keys).size).to.equal(50);
    expect(keys.every((key) => /^[0-9a-f]{64}$/.test(key))).to.equal(true);
    expect(kept.every((key) => key.length === 0)).to.equal(true);
    expect(withGeneratedKey(7, (key) => key.length)).to.equal(7);
  });
});

function pkcs8(seed: Buffer): string {
  return privateKeyOf(seed).export({ type: 'pkcs8', format: 'pem' }).toString();
}

function privateKeyOf(seed: Buffer): ReturnType<typeof createPrivateKey> {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
