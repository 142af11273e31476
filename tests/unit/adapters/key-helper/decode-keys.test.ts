import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { computeAddress, encryptKeystoreJsonSync, HDNodeWallet, hexlify, Mnemonic } from 'ethers';
import fc from 'fast-check';
import { decodeKeys } from '../../../../src/adapters/key-helper/decode-keys.ts';
import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import type { KeyFileReference } from '../../../../src/domain/model/key-source.ts';
import type { KeyToDecode } from '../../../../src/key-helpers/key-formats.ts';
import { bs58 } from '../../../harness/base58.ts';
import { ed25519PublicKey } from '../../../process-memory/secrets.ts';
import { COSMJS_KEY } from '../../../vectors/cosmos/cosmjs.ts';
import { RSA_KEYS, RSA_KEYS_DER } from '../../../vectors/rsa-keys.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';
import { KEYSTORE_OF_GETH, KEYSTORE_OF_WEB3PY, SEC1_OF_31_BYTES } from './field-keys.ts';
import { PBKDF2_VECTOR, SCRYPT_VECTOR, VECTOR_PASSWORD, VECTOR_PRIVATE_KEY } from './keystores.ts';
import * as openssl from './openssl-keys.ts';

/** A key file, and its key in hex, or part of the problem. */
interface Sample {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly content: string | Uint8Array;
  readonly reference?: Partial<KeyFileReference>;
  readonly secretDecoding?: KeyToDecode['secretDecoding'];
  readonly password?: string;
  readonly expected: string | RegExp;
}

const KEY = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const HEX = KEY.toString('hex');
const PAIR = Buffer.concat([KEY, ed25519PublicKey(KEY)]);
const SMALL = Buffer.concat([Buffer.alloc(2), KEY.subarray(2)]);
const HARDHAT = 'test test test test test test test test test test test junk';
const HARDHAT_KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const TEXT = '0123456789abcdef0123456789abcdef';

const hexOf = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('hex');
/** Of the Web3 Secret Storage Definition. */
const VECTOR_ADDRESS = '008aeeda4d805471df9b2a5b0f38a0c3bcba786b';
const withAddress = (address: string) => JSON.stringify({ ...PBKDF2_VECTOR, address });
const OTHER_PUBLIC_KEY = /public key in it does not belong/;
const jwk = (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }));
const scalarOf = (key: KeyObject) => hexOf(key.export({ format: 'jwk' }).d ?? '', 'base64url');
const keystore = (password: string, key = KEY, address = computeAddress(hexlify(key))) =>
  encryptKeystoreJsonSync({ address, privateKey: hexlify(key) }, password, { scrypt: { N: 2, r: 8, p: 1 } });
const pem = (der: Buffer, label = 'PRIVATE KEY') =>
  `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
const derOf = (text: string) => Buffer.from(text.replace(/-----[A-Z0-9 ]+-----|\n/g, ''), 'base64');

/** RFC 8410 §10.3: a key without, and with attributes and public key. */
const RFC8410 = 'd4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842';
const RFC8410_V1 = 'MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC';
const RFC8410_V2 =
  'MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCoB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=';
/** As ring's `Ed25519KeyPair::generate_pkcs8` writes it. */
const RING = Buffer.concat([
  ...[Buffer.from('3051020101300506032b657004220420', 'hex'), KEY],
  ...[Buffer.from('812100', 'hex'), ed25519PublicKey(KEY)],
]);
const P256 = createPrivateKey(openssl.P256_PKCS8);
const RSA_DER = Buffer.from(RSA_KEYS_DER[0] ?? []);
const RSA_PEM = RSA_KEYS[0] ?? '';
const SHORT_RSA_PEM = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  ...{ publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } },
}).privateKey;

function ed25519(name: string, content: string | Uint8Array, expected: Sample['expected'] = HEX): Sample {
  return { name, algorithm: 'ed25519', content, expected };
}
function ethereum(name: string, content: string | Uint8Array, expected: Sample['expected'] = HEX): Sample {
  return { name, algorithm: 'eip191', content, expected };
}
const as = (format: KeyFileReference['format'], sample: Sample): Sample => ({
  ...sample,
  name: `${sample.name}, as ${format}`,
  reference: { ...sample.reference, format },
});
const locked = (password: string, sample: Sample): Sample => ({ ...sample, password });
const rsa = (name: string, content: string | Uint8Array, expected: Sample['expected'] = RSA_DER.toString('hex')) =>
  ({ name, algorithm: 'rsa-sha256', content, expected }) as const;
const secret = (secretDecoding: KeyToDecode['secretDecoding'], content: string, expected: Sample['expected']) => ({
  ...({ name: `an HMAC secret in ${secretDecoding}`, algorithm: 'hmac-sha256', content } as const),
  ...{ secretDecoding, expected },
});

const ACCEPTED: readonly Sample[] = [
  ed25519('raw bytes', KEY),
  ed25519('raw bytes of a key pair', PAIR),
  ed25519('hex', HEX),
  ed25519('hex with 0x, in capitals, with CRLF', `0x${HEX.toUpperCase()}\r\n`),
  ed25519('hex of a key pair', PAIR.toString('hex')),
  as('base58', ed25519('base58', `${bs58.encode(KEY)}\n`)),
  as('base58', ed25519('base58 of a key pair, as Phantom exports it', bs58.encode(PAIR))),
  ed25519('base58 with ed25519:, as Orderly shows it', `ed25519:${bs58.encode(KEY)}\n`),
  as('base64', ed25519('base64 without padding', KEY.toString('base64').replace('=', ''))),
  ed25519('base64 with padding', KEY.toString('base64')),
  ed25519('base64 of a key pair in quotes', `"${PAIR.toString('base64')}"\n`),
  ed25519('base64 of a key pair in lines of 64', PAIR.toString('base64').replace(/.{64}/, '$&\n')),
  ed25519('the array of solana-keygen', `${JSON.stringify([...PAIR])}\n`),
  ed25519('an array of 32 numbers with white space', `\n\t\r ${JSON.stringify([...KEY], null, 1)}`),
  ed25519(
    'the JSON file of the Coinbase Developer Platform',
    JSON.stringify({ id: 'a-b', privateKey: PAIR.toString('base64') }),
  ),
  ed25519(
    'the credentials file of NEAR',
    JSON.stringify({ account_id: 'a.near', public_key: 'ed25519:x', private_key: `ed25519:${bs58.encode(PAIR)}` }),
  ),
  ed25519('PKCS#8 of OpenSSL', openssl.ED25519_PKCS8, openssl.PRIVATE_KEYS.ed25519),
  ed25519('the example of RFC 8410', pem(Buffer.from(RFC8410_V1, 'base64')), RFC8410),
  ed25519('its example of version 2, with attributes', pem(Buffer.from(RFC8410_V2, 'base64')), RFC8410),
  ed25519('PKCS#8 version 2 of ring', pem(RING)),
  ed25519('a JWK', jwk(createPrivateKey(openssl.ED25519_PKCS8)), openssl.PRIVATE_KEYS.ed25519),
  ...['secret', '\ufeffsecret'].map((password) =>
    locked(
      password,
      ed25519(
        `encrypted PKCS#8 with the file ${JSON.stringify(password)}`,
        encrypted(createPrivateKey(openssl.ED25519_PKCS8), 'secret'),
        openssl.PRIVATE_KEYS.ed25519,
      ),
    ),
  ),

  ethereum('hex of 62 digits', SMALL.toString('hex').slice(2), SMALL.toString('hex')),
  ethereum('hex of 63 digits', SMALL.toString('hex').slice(1), SMALL.toString('hex')),
  ethereum('hex of 66 digits', `00${HEX}`),
  ethereum('hex with a byte order mark', `\ufeff0x${HEX}\n`),
  ethereum('PKCS#8 of OpenSSL', openssl.SECP256K1_PKCS8, openssl.PRIVATE_KEYS.secp256k1Pkcs8),
  ...[
    openssl.SECP256K1_SEC1_WITH_PARAMETERS,
    openssl.SECP256K1_SEC1_COMPRESSED,
    openssl.SECP256K1_SEC1_WITHOUT_PUBLIC_KEY,
    openssl.SECP256K1_PKCS8_WITHOUT_PUBLIC_KEY,
  ].map((content, index) =>
    ethereum(`SEC1 and PKCS#8 of OpenSSL, form ${index + 1}`, content, openssl.PRIVATE_KEYS.secp256k1Sec1),
  ),
  ethereum(
    'PEM with a byte order mark, CRLF and empty lines',
    `\ufeff${openssl.SECP256K1_PKCS8.replaceAll('\n', '\r\n\r\n')}\r\n\r\n`,
    openssl.PRIVATE_KEYS.secp256k1Pkcs8,
  ),
  ethereum(
    'PEM behind Bag Attributes, as openssl pkcs12 -nodes writes it',
    `Bag Attributes\n    friendlyName: key\n    localKeyID: 54 69 6D\nKey Attributes: <No Attributes>\n${openssl.SECP256K1_PKCS8}`,
    openssl.PRIVATE_KEYS.secp256k1Pkcs8,
  ),
  ethereum(
    'PEM with \\n in place of line breaks',
    JSON.stringify(openssl.SECP256K1_PKCS8),
    openssl.PRIVATE_KEYS.secp256k1Pkcs8,
  ),
  ethereum('a SEC1 scalar of 31 bytes', SEC1_OF_31_BYTES, `00${'33'.repeat(31)}`),
  ...['x', '\ufeffx'].map((password) =>
    locked(
      '\ufeffx',
      ethereum(`a keystore, with a byte order mark in the file of ${JSON.stringify(password)}`, keystore(password)),
    ),
  ),
  locked('ones', ethereum('a keystore of web3.py with an IV of 15 bytes', KEYSTORE_OF_WEB3PY, '11'.repeat(32))),
  locked(
    'ones\r\n',
    ethereum('a keystore of geth with a ciphertext of 31 bytes', KEYSTORE_OF_GETH, `00${'22'.repeat(31)}`),
  ),
  locked('ﬁnal pässword Å', ethereum('a keystore of ethers, whose password is in NFKC', keystore('ﬁnal pässword Å'))),
  locked(
    VECTOR_PASSWORD,
    ethereum('the pbkdf2 example of Web3 Secret Storage', withAddress(VECTOR_ADDRESS), VECTOR_PRIVATE_KEY),
  ),
  locked(
    VECTOR_PASSWORD,
    ethereum('its scrypt example, which OpenSSL rejects', JSON.stringify(SCRYPT_VECTOR), VECTOR_PRIVATE_KEY),
  ),
  locked('x', as('keystore', ethereum('a keystore', keystore('x')))),
  as('mnemonic', ethereum('a phrase of Hardhat in lines', HARDHAT.replaceAll(' ', '\r\n'), HARDHAT_KEY)),
  {
    ...as('mnemonic', ethereum('a phrase of Cosmos', COSMJS_KEY.mnemonic, COSMJS_KEY.privateKey.toString('hex'))),
    algorithm: 'cosmos',
  },
  {
    name: 'a phrase with a path',
    algorithm: 'eip712',
    content: COSMJS_KEY.mnemonic,
    reference: { format: 'mnemonic', derivationPath: COSMJS_KEY.path.replaceAll("'", 'h') },
    expected: COSMJS_KEY.privateKey.toString('hex'),
  },

  { name: 'a P-256 key in PKCS#8', algorithm: 'es256', content: openssl.P256_PKCS8, expected: scalarOf(P256) },
  { name: 'a P-256 JWK', algorithm: 'es256', content: jwk(P256), expected: scalarOf(P256) },
  {
    name: 'the JSON file of Coinbase with a PEM key',
    algorithm: 'es256',
    content: JSON.stringify({
      name: 'organizations/o/apiKeys/k',
      privateKey: P256.export({ format: 'pem', type: 'sec1' }),
    }),
    expected: scalarOf(P256),
  },
  ...['0x5', '0x0543b', `0x${'f'.repeat(63)}`].map(
    (content): Sample => ({
      name: `a Stark key ${content.length} long`,
      algorithm: 'starknet',
      content,
      expected: content.slice(2).padStart(64, '0'),
    }),
  ),
  {
    name: 'Stark digits without 0x',
    algorithm: 'starknet',
    content: '543b',
    reference: { format: 'hex' },
    expected: '543b'.padStart(64, '0'),
  },

  rsa('RSA in PKCS#8', RSA_PEM),
  rsa('RSA in PKCS#1', createPrivateKey(RSA_PEM).export({ format: 'pem', type: 'pkcs1' })),
  as('raw', rsa('RSAPrivateKey', RSA_DER)),
  as(
    'base64',
    rsa('PKCS#8 in base64', createPrivateKey(RSA_PEM).export({ format: 'der', type: 'pkcs8' }).toString('base64')),
  ),
  rsa('an RSA JWK', jwk(createPrivateKey(RSA_PEM))),
  locked(
    'secret',
    rsa(
      'encrypted PKCS#1',
      createPrivateKey(RSA_PEM).export({ format: 'pem', type: 'pkcs1', cipher: 'aes-256-cbc', passphrase: 'secret' }),
    ),
  ),

  secret('utf8', `${TEXT}\n`, hexOf(TEXT)),
  secret('utf8', `\ufeff${TEXT}\r\n`, hexOf(TEXT)),
  secret('base64url', 'ab-_', hexOf('ab-_', 'base64url')),
  secret('base64-text', TEXT, hexOf(Buffer.from(TEXT).toString('base64'))),
  as('raw', secret('utf8', `${TEXT}\n`, hexOf(`${TEXT}\n`))),
];

function encrypted(key: KeyObject, passphrase: string): string {
  return String(key.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase }));
}

const UTF_16 = /^it is UTF-16; save it as UTF-8/;
const ENVIRONMENT_FILE = /^it looks like an environment file; save only the value to it/;

const REFUSED: readonly Sample[] = [
  ed25519('an empty file', '', /^it is empty/),
  ed25519(
    'base58 without a format',
    bs58.encode(KEY),
    /cannot be detected; set it with --key-format or "format": raw, hex, base58/,
  ),
  as('base58', ed25519('another character', `${bs58.encode(KEY)}0`, /not a base58 digit/)),
  as('base58', ethereum('an Ed25519 key', `ed25519:${bs58.encode(KEY)}`, /a key for Ed25519, but one for secp256k1/)),
  as('base64', ed25519('truncated base64', KEY.toString('base64').slice(0, -3), /is not base64|has 30 bytes/)),
  as('hex', ed25519('hex of 63 digits', HEX.slice(1), /63 hex digits; a private key has 64/)),
  ethereum('hex of 60 digits', HEX.slice(4), /^it has 60 hex digits; a private key has 64/),
  ed25519('hex of 66 digits', `00${HEX}`, /^it has 66 hex digits; a private key has 64/),
  ed25519('hex in UTF-16', Buffer.from(`\ufeff${HEX}`, 'utf16le'), UTF_16),
  as('hex', ethereum('hex in UTF-16, big-endian', Buffer.from(`\ufeff${HEX}`, 'utf16le').swap16(), UTF_16)),
  ethereum('an environment file', `KEY=0x${HEX}\n`, ENVIRONMENT_FILE),
  as('hex', ed25519('one for a shell', `export SIGNING_KEY="${HEX}"\n`, ENVIRONMENT_FILE)),
  as('hex', ed25519('another digit', `${HEX.slice(1)}g`, /not a hexadecimal digit/)),
  as('raw', ed25519('31 bytes', KEY.subarray(1), /^it has 31 bytes; a private key of 32 bytes is required/)),
  ed25519(
    'another public key in a pair',
    JSON.stringify([...KEY, ...KEY]),
    /second half is not the Ed25519 public key/,
  ),
  ed25519('a truncated array', '[1,2', /not valid JSON/),
  ed25519('an array with 256', JSON.stringify([256]), /array of integers from 0 to 255/),
  ed25519('other JSON', '{"secret":"x"}', /neither an Ethereum keystore nor a JWK/),
  ed25519('a public key', openssl.ED25519_PUBLIC, /has a public key, but a private key is required/),
  ed25519('a certificate', pem(Buffer.from('30', 'hex'), 'CERTIFICATE'), /has a certificate/),
  ed25519(
    'another public key in ring’s form',
    pem(Buffer.concat([RING.subarray(0, -1), Buffer.of(0)])),
    /does not belong/,
  ),
  ed25519('an RSA key', RSA_PEM, /has a key for RSA, but one for Ed25519/),
  ed25519('two keys', openssl.ED25519_PKCS8.repeat(2), /several private keys/),
  ed25519('a truncated PEM block', openssl.ED25519_PKCS8.slice(0, 80), /no whole PEM block/),
  ed25519('damaged DER', openssl.ED25519_PKCS8.replace('MC4', 'MD4'), /malformed/),
  ed25519('a key of OpenSSH', pem(Buffer.from('00', 'hex'), 'OPENSSH PRIVATE KEY'), /key of OpenSSH/),
  ethereum(
    'a key in Tendermint armor',
    '-----BEGIN TENDERMINT PRIVATE KEY-----\nkdf: bcrypt\n\nAAAA\n=xx\n-----END TENDERMINT PRIVATE KEY-----',
    /keys export NAME --unarmored-hex --unsafe/,
  ),
  ethereum('a P-256 key', openssl.P256_PKCS8, /for P-256, but one for secp256k1/),
  ethereum('another public key in SEC1', changeLast(openssl.SECP256K1_SEC1_COMPRESSED), /malformed|does not belong/),
  ed25519('an encrypted key', openssl.ED25519_ENCRYPTED, /encrypted; give the file with its password/),
  ethereum('an encrypted SEC1 key', openssl.SECP256K1_ENCRYPTED, /encrypted; give the file with its password/),
  locked('geheim', ed25519('a wrong password', openssl.ED25519_ENCRYPTED, /its password is wrong/)),
  locked(
    'geheim',
    ethereum('a wrong password of a keystore', keystore('x'), /password is wrong, or the keystore is damaged/),
  ),
  locked('x', ethereum('a password for a plain key', HEX, /not encrypted; remove the password file/)),
  ethereum('a keystore without password', keystore('x'), /give the file with its password/),
  locked(VECTOR_PASSWORD, ethereum('a keystore of another address', withAddress('00'.repeat(20)), OTHER_PUBLIC_KEY)),
  ed25519(
    'a JWK with another public key',
    jwk(createPrivateKey(openssl.ED25519_PKCS8)).replace(/"x":"./, '"x":"_'),
    OTHER_PUBLIC_KEY,
  ),
  locked(
    'x',
    ethereum(
      'a keystore with key 0',
      keystore('x', Buffer.alloc(32), `0x${VECTOR_ADDRESS}`),
      /^it cannot be decoded \(ERR_/,
    ),
  ),
  ethereum('a keystore of version 4', JSON.stringify({ ...PBKDF2_VECTOR, version: 4 }), /"version" is not 3/),
  locked(
    'x',
    ethereum('a costly keystore', JSON.stringify(SCRYPT_VECTOR).replace('262144', String(2 ** 21)), /"kdfparams.n"/),
  ),
  locked(
    'x',
    ethereum(
      'a keystore of 2 GiB',
      JSON.stringify(SCRYPT_VECTOR)
        .replace('262144', String(2 ** 20))
        .replace('"r":1', '"r":16'),
      /more than 1 GiB/,
    ),
  ),
  locked(
    'x',
    ethereum(
      'a keystore with another cipher',
      JSON.stringify(PBKDF2_VECTOR).replace('aes-128-ctr', 'aes-128-cbc'),
      /"cipher"/,
    ),
  ),
  as('mnemonic', ethereum('doubled blanks', HARDHAT.replace(' ', '  '), /its word 2 is empty/)),
  as(
    'mnemonic',
    ethereum(
      'numbered words',
      HARDHAT.replace('test', '1. test'),
      /its word 1 is not in the English list.*without numbers/,
    ),
  ),
  as(
    'mnemonic',
    ethereum('a Japanese phrase', 'あいこくしん\u3000あいさつ', /phrases of other languages are not supported/),
  ),
  as('mnemonic', ethereum('eleven words', HARDHAT.slice(5), /it has 11 words/)),
  as('mnemonic', ethereum('a wrong checksum', HARDHAT.replace('junk', 'test'), /checksum/)),
  as('mnemonic', ed25519('a phrase for ed25519', HARDHAT, /a key for ed25519 cannot have the format mnemonic/)),
  {
    name: 'a path without a phrase',
    algorithm: 'cosmos',
    content: HEX,
    reference: { derivationPath: "m/44'" },
    expected: /not mnemonic; remove the path/,
  },
  {
    name: 'a phrase as path',
    algorithm: 'cosmos',
    content: HARDHAT,
    reference: { format: 'mnemonic', derivationPath: HARDHAT },
    expected: /^its derivation path must be m/,
  },
  { name: 'base58 of a Stark key', algorithm: 'starknet', content: '543b', expected: /cannot be detected/ },
  {
    name: 'a long Stark key',
    algorithm: 'starknet',
    content: `0x${'1'.repeat(65)}`,
    expected: /^it has 65 hex digits/,
  },
  rsa('RSA of 1024 bits', SHORT_RSA_PEM, /^it is an RSA key of 1024 bits; 2048 to 4096 are required/),
  rsa('DER without a format', RSA_DER, /cannot be detected/),
  as('keystore', rsa('a keystore for RSA', RSA_PEM, /a key for rsa-sha256 cannot have the format keystore/)),
  as(
    'raw',
    rsa(
      'DER of a curve',
      createPrivateKey(openssl.P256_PKCS8).export({ format: 'der', type: 'pkcs8' }),
      /for P-256, but one for RSA/,
    ),
  ),
  as('pem', secret('utf8', RSA_PEM, /a key for hmac-sha256 cannot have the format pem/)),
  secret('utf8', 'two words', /contains a space or tab; a secret is one line/),
  secret('utf8', 'a\nb', /more than one line/),
  secret('utf8', 'ä', /not visible ASCII/),
  secret('hex', 'xyz!', /not a hexadecimal digit/),
  secret('hex', 'abc', /odd number of hex digits/),
  secret('utf8', 'a'.repeat(1025), /^it has 1025 bytes; 1 to 1024 are required/),
];

function changeLast(text: string): string {
  const der = derOf(text);
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  return pem(der, 'EC PRIVATE KEY');
}

const wordsOf = (text: string): readonly string[] => text.match(/\p{L}+/gu) ?? [];

describe('decodeKeys', () => {
  const folder = useTemporaryFolder();

  /** Keys in hex, or problems, of one run of the helper. */
  async function decodeAll(samples: readonly Sample[]): Promise<readonly string[]> {
    const keys = samples.map(({ content, password, algorithm, secretDecoding = 'utf8', reference }, index) => {
      const file = folder.file(`${index}.key`, content);
      const passwordFile = password === undefined ? {} : { passwordFile: folder.file(`${index}.password`, password) };
      return { file, ...passwordFile, ...reference, algorithm, secretDecoding };
    });
    const decoded = await decodeKeys(keys);
    try {
      return samples.map((_, index) => {
        const found = decoded.problemOf(index);
        if (found !== null) return found.problem;
        return decoded.use(index, (key) => Buffer.from(key).toString('hex'));
      });
    } finally {
      decoded.close();
    }
  }

  it('decodes what tools write', async () => {
    const decoded = await decodeAll(ACCEPTED);
    const found = ACCEPTED.map(({ name }, index) => `${name}: ${decoded[index]}`);
    expect(found.filter((_, index) => decoded[index] !== ACCEPTED[index]?.expected)).to.be.empty;
  }).timeout(20_000);

  it('says why it decodes nothing else, and quotes neither content nor password', async () => {
    const decoded = await decodeAll(REFUSED);
    for (const [index, { name, content, expected, reference, password = '' }] of REFUSED.entries()) {
      const problem = decoded[index] ?? '';
      expect(problem, name).to.match(expected as RegExp);
      const text = Buffer.from(content).toString();
      const long = text.match(/[\w+/]{9,}/g) ?? [];
      const secrets = long.filter((run) => !/^(?:BEGIN|TENDERMINT|kdfparams|version|PRIVATE|ed25519)/.test(run));
      const words = wordsOf(reference?.format === 'mnemonic' ? `${password} ${text}` : password);
      const quoted = [
        ...secrets.filter((run) => problem.includes(run)),
        ...words.filter((word) => wordsOf(problem).includes(word)),
      ];
      expect(quoted, name).to.be.empty;
    }
  }).timeout(20_000);

  it('derives the keys that ethers derives, for any phrase and path', async () => {
    const entropy = fc
      .constantFrom(16, 20, 24, 28, 32)
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
    const step = fc.tuple(fc.nat({ max: 2 ** 31 - 1 }), fc.constantFrom('', "'")).map(([at, mark]) => `/${at}${mark}`);
    const path = fc.array(step, { maxLength: 5 }).map((steps) => `m${steps.join('')}`);
    const samples = fc.sample(fc.tuple(entropy, path), 20).map(([bytes, derivationPath]): Sample => {
      const { phrase } = Mnemonic.fromEntropy(bytes);
      const expected = HDNodeWallet.fromPhrase(phrase, '', derivationPath).privateKey.slice(2);
      return {
        name: phrase,
        algorithm: 'eip191',
        content: phrase,
        reference: { format: 'mnemonic', derivationPath },
        expected,
      };
    });
    expect(await decodeAll(samples)).to.deep.equal(samples.map(({ expected }) => expected));
  }).timeout(20_000);

  it('decodes any bytes from each text that a secret has', async () => {
    const samples = Array.from({ length: 30 }, (_, index): Sample => {
      const bytes = randomBytes(index + 1);
      const secretDecoding = (['hex', 'base64', 'base64url'] as const)[index % 3] ?? 'hex';
      return { ...secret(secretDecoding, bytes.toString(secretDecoding), bytes.toString('hex')), name: String(index) };
    });
    expect(await decodeAll(samples)).to.deep.equal(samples.map(({ expected }) => expected));
  });

  it('names the place of a file that it cannot read, and keeps the keys around it', async () => {
    const key = { algorithm: 'ed25519', secretDecoding: 'utf8' } as const;
    const [good, missing] = [folder.file('good', HEX), folder.path('missing')];
    const sealed = folder.file('keystore', keystore('x'));
    const decoded = await decodeKeys([
      { ...key, file: good },
      { ...key, file: missing },
      { ...key, file: sealed, passwordFile: missing },
      { ...key, file: folder.path('') },
      { ...key, file: folder.file('large', Buffer.alloc(16_385, 0x20)) },
      // The keys that are decoded.
      { ...key, file: '/dev/fd/3', format: 'raw' },
      { ...key, plaintext: HEX },
    ]);
    try {
      const problems = [1, 2, 3, 4, 5].map((index) => decoded.problemOf(index));
      expect(problems.map((found) => [found?.in, found?.file, found?.isMissing])).to.deep.equal([
        ['file', missing, true],
        ['passwordFile', missing, true],
        ['file', folder.path(''), false],
        ['file', folder.path('large'), false],
        ['file', '/dev/fd/3', false],
      ]);
      expect(problems[2]?.problem).to.include('it is a folder');
      for (const index of [0, 6]) expect(decoded.use(index, (one) => Buffer.from(one).toString('hex'))).to.equal(HEX);
    } finally {
      decoded.close();
    }
  });
});
