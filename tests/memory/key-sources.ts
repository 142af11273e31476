import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { HDNodeWallet, Mnemonic } from 'ethers';
import { ALGORITHMS, type Algorithm, isMacAlgorithm } from '../../src/domain/model/algorithm.ts';
import type { KeyFileFormat } from '../../src/domain/model/key-source.ts';
import { bs58 } from '../harness/base58.ts';
import { HEAD_CHARACTERS } from '../process-memory/forms.ts';
import { ed25519PublicKey, type Secret, secretOf, secretsOfMacKey } from '../process-memory/secrets.ts';
import { projectUrl } from '../project-root.ts';
import { knowledgeOf } from './algorithms.ts';
import { type Kdf, makeKeystore } from './keystore.ts';

/** How the service gets a private key. */
export interface KeySource {
  readonly name: string;
  /** Algorithms with this source. */
  readonly algorithms: readonly Algorithm[];
  /**
   * `sealed`: by `account add`, from a file removed before the start; `file`: named by the
   * credentials file.
   */
  readonly kind: 'sealed' | 'file';
  readonly format: KeyFileFormat;
  /** Creates a suitable key; default: that of the algorithm, else any 32 bytes. */
  readonly newKey?: () => Buffer;
  readonly write: (key: Buffer, algorithm: Algorithm, owner: string) => KeyFile;
}

export interface KeyFile {
  readonly content: string | Buffer;
  readonly password?: string;
  /** Further secrets, beside the key's own. */
  readonly secrets?: readonly Secret[];
}

const MAC_ALGORITHMS = ALGORITHMS.filter(isMacAlgorithm);

/** The other two secp256k1 algorithms share all code. */
const KEY_PAIRS = ['ed25519', 'eip191'] as const;

export const RAW_FILE = fileSource('raw', 'raw', (key) => key);

/** All but `plaintext`, which the documentation excepts. */
export const KEY_SOURCES: readonly KeySource[] = [
  { name: 'sealed', algorithms: ALGORITHMS, kind: 'sealed', format: 'raw', write: (key) => ({ content: key }) },
  RAW_FILE,
  fileSource('hex', 'hex', (key) => `0x${key.toString('hex')}\n`),
  fileSource('base58', 'base58', (key) => bs58.encode(key), KEY_PAIRS),
  fileSource('base58 pair', 'base58', (key) => `ed25519:${bs58.encode(pairOf(key))}`, ['ed25519']),
  fileSource('base64', 'base64', (key) => key.toString('base64'), [
    ...KEY_PAIRS,
    ...MAC_ALGORITHMS,
    'rsa-sha256',
    'es256',
  ]),
  fileSource('base64url', 'base64url', (key) => key.toString('base64url'), MAC_ALGORITHMS),
  fileSource('pem', 'pem', pemOf, [...KEY_PAIRS, 'rsa-sha256', 'es256']),
  fileSource('pem sec1', 'pem', sec1Of, ['es256']),
  fileSource('solana', 'solana', (key) => JSON.stringify([...pairOf(key)]), ['ed25519']),
  keystoreSource('keystore scrypt', { name: 'scrypt', n: 4096, r: 8, p: 1 }),
  // OpenSSL rejects this N, so the service computes it.
  keystoreSource('keystore scrypt r=1', { name: 'scrypt', n: 65_536, r: 1, p: 1 }),
  keystoreSource('keystore pbkdf2', { name: 'pbkdf2', iterations: 10_000 }),
  mnemonicSource(12),
  mnemonicSource(24),
  // As venues issue; exactly one SHA-256 block; more than a SHA-512 block.
  textSource('utf8', 32),
  textSource('utf8 of 64', 64),
  textSource('utf8 of 160', 160),
  {
    ...fileSource('base64-text', 'base64-text', (key) => key, MAC_ALGORITHMS),
    newKey: () => Buffer.from(visibleText(32).toString('base64')),
    write: (key, _algorithm, owner) => {
      const text = Buffer.from(key.toString('latin1'), 'base64');
      return { content: text, secrets: [secretOf(owner, 'text of the secret', text)] };
    },
  },
];

function fileSource(
  name: string,
  format: KeyFileFormat,
  text: (key: Buffer, algorithm: Algorithm) => string | Buffer,
  algorithms = ALGORITHMS as readonly Algorithm[],
): KeySource {
  return { name, algorithms, kind: 'file', format, write: (key, algorithm) => ({ content: text(key, algorithm) }) };
}

function textSource(name: string, length: number): KeySource {
  return { ...fileSource(name, 'utf8', (key) => key, MAC_ALGORITHMS), newKey: () => visibleText(length) };
}

function visibleText(length: number): Buffer {
  return Buffer.from(randomBytes(length).toString('base64').slice(0, length));
}

function keystoreSource(name: string, kdf: Kdf): KeySource {
  const write = (key: Buffer, _algorithm: Algorithm, owner: string): KeyFile => {
    const { json, password, derivedKey, keyStream } = makeKeystore(key, kdf);
    const secrets = [
      ...secretsOfMacKey(owner, 'password', Buffer.from(password)),
      secretOf(owner, 'derived key', derivedKey),
      secretOf(owner, 'key stream', keyStream),
    ];
    return { content: json, password, secrets };
  };
  return { name, algorithms: KEY_PAIRS, kind: 'file', format: 'keystore', write };
}

/** Keys that ethers derived, with their phrase. */
const PHRASES = new Map<string, string>();
const ETHEREUM_PATH = "m/44'/60'/0'/0/0";

function mnemonicSource(words: 12 | 24): KeySource {
  return {
    name: `mnemonic of ${words}`,
    algorithms: ['eip191'],
    kind: 'file',
    format: 'mnemonic',
    newKey: () => {
      const phrase = newPhrase(words);
      const key = Buffer.from(HDNodeWallet.fromPhrase(phrase, '', ETHEREUM_PATH).privateKey.slice(2), 'hex');
      PHRASES.set(key.toString('hex'), phrase);
      return key;
    },
    write: (key, _algorithm, owner) => {
      const phrase = PHRASES.get(key.toString('hex')) ?? '';
      const mnemonic = Mnemonic.fromPhrase(phrase);
      const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');
      const master = HDNodeWallet.fromPhrase(phrase, '', 'm');
      const parent = HDNodeWallet.fromPhrase(phrase, '', ETHEREUM_PATH.slice(0, -2));
      const secrets = [
        ...secretsOfMacKey(owner, 'mnemonic', Buffer.from(phrase)),
        // Parts of the texts of 16 bytes are too short to search for.
        ...(words === 24 ? [secretOf(owner, 'entropy', bytes(mnemonic.entropy))] : []),
        secretOf(owner, 'seed', bytes(mnemonic.computeSeed())),
        secretOf(owner, 'master key', bytes(master.privateKey)),
        ...secretsOfMacKey(owner, 'master chain code', bytes(master.chainCode)),
        secretOf(owner, 'parent key', bytes(parent.privateKey)),
        ...secretsOfMacKey(owner, 'parent chain code', bytes(parent.chainCode)),
      ];
      return { content: `${phrase}\n`, secrets };
    },
  };
}

/**
 * Begins with a word whose hex digits the program's own text lacks: those of `private` and
 * `service` stand there, and the search looks for the first ones of a phrase alone.
 */
function newPhrase(words: 12 | 24): string {
  for (;;) {
    const { phrase } = Mnemonic.fromEntropy(randomBytes((words * 4) / 3));
    const head = Buffer.from(phrase).toString('hex').slice(0, HEAD_CHARACTERS);
    if (!programTexts().some((text) => text.includes(head))) return phrase;
  }
}

function programTexts(): readonly string[] {
  const folder = projectUrl('dist/');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.js') && !name.includes('node_modules'),
  );
  return files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/** Seed and public key, as Solana's wallets export them. */
function pairOf(seed: Buffer): Buffer {
  return Buffer.concat([seed, ed25519PublicKey(seed)]);
}

/** As Coinbase issues keys. */
function sec1Of(key: Buffer, algorithm: Algorithm): string {
  return String(knowledgeOf(algorithm).keyObject(key).export({ format: 'pem', type: 'sec1' }));
}

function pemOf(key: Buffer, algorithm: Algorithm): string {
  return String(knowledgeOf(algorithm).keyObject(key).export({ format: 'pem', type: 'pkcs8' }));
}
