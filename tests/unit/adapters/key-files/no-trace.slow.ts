import { spawn } from 'node:child_process';
import { randomBytes, scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { encryptKeystoreJsonSync, hexlify } from 'ethers';
import type { KeyFileOptions } from '../../../../src/adapters/key-files/key-file.ts';
import { bs58 } from '../../../harness/base58.ts';
import { formsOf, type SoughtSecret, searchProcessMemory } from '../../../process-memory/search-process-memory.ts';
import { ed25519PublicKey } from '../../../process-memory/secrets.ts';
import { fixture } from './child-process.ts';
import { type TemporaryFolder, useTemporaryFolder } from './temporary-folder.ts';

/** A key file and the secrets that must not be found after its use. */
interface Specimen extends SoughtSecret {
  readonly options: KeyFileOptions;
}

// Reads /proc.
if (process.platform === 'linux') {
  describe('the memory of a process that has used key files', () => {
    const folder = useTemporaryFolder();

    it('holds no trace of rejected files', async function () {
      this.timeout(120_000);
      expect(await findTraces('with care', makeRefusedSpecimens(folder), 0)).to.deep.equal([]);
    });

    it('shows traces of content read without protection (control)', async function () {
      this.timeout(120_000);
      const specimens = makeSpecimens(folder);
      const found = await findTraces('carelessly', specimens, specimens.length);
      expect([...new Set(found)]).to.have.members(specimens.map(({ name }) => name));
    });
  });
}

const LENGTH_32 = { min: 32, max: 32 };

const SPELLINGS = {
  raw: (key: Buffer) => key,
  hex: (key: Buffer) => Buffer.from(key.toString('hex')),
  base58: (key: Buffer) => Buffer.from(bs58.encode(key)),
  base64: (key: Buffer) => Buffer.from(key.toString('base64')),
  base64url: (key: Buffer) => Buffer.from(key.toString('base64url')),
  pem: (key: Buffer) => Buffer.from(ed25519Pem(key)),
  solana: (key: Buffer) => Buffer.from(JSON.stringify([...key, ...ed25519PublicKey(key)])),
  utf8: (key: Buffer) => key,
  'base64-text': (key: Buffer) => key,
} as const;
type SpelledFormat = keyof typeof SPELLINGS;
const SPELLED_FORMATS = Object.keys(SPELLINGS) as readonly SpelledFormat[];

function makeSpecimens(folder: TemporaryFolder): readonly Specimen[] {
  return SPELLED_FORMATS.map((format) => {
    const key = keyFor(format);
    const content = SPELLINGS[format](key);
    const file = folder.file(format, content);
    return { name: format, options: optionsFor(file, format), secrets: [...traitsOf(format, key), content] };
  });
}

/** PEM as venues put it into JSON: alone, and with the JSON around it. */
function makeEscapedSpecimens(folder: TemporaryFolder): readonly Specimen[] {
  return ['escaped', 'in JSON'].map((name) => {
    const key = randomBytes(32);
    const pem = ed25519Pem(key);
    const escaped = JSON.stringify(pem);
    const file = folder.file(name, name === 'in JSON' ? `{"privateKey":${escaped}}` : escaped);
    const [, body = ''] = pem.split('\n');
    return { name, options: { file, lengths: LENGTH_32 }, secrets: [...formsOf(key), Buffer.from(body)] };
  });
}

/** Malformed keys, one in JSON, and a keystore with a wrong password. */
function makeRefusedSpecimens(folder: TemporaryFolder): readonly Specimen[] {
  const spelled = SPELLED_FORMATS.map((format) => {
    const key = keyFor(format);
    const content = SPELLINGS[format](key);
    const file = folder.file(format, Buffer.concat([content, Buffer.from(' 1')]));
    return { name: format, options: optionsFor(file, format), secrets: [...traitsOf(format, key), content] };
  });
  const key = randomBytes(32);
  const file = folder.file('json', JSON.stringify({ version: 3, privateKey: key.toString('hex') }));
  const options = { file, lengths: LENGTH_32, passwordFile: folder.file('no-password', 'password') };
  const keystore = keystoreSpecimen(folder);
  const otherPassword = Buffer.from(randomBytes(24).toString('base64'));
  folder.file('password', otherPassword);
  return [
    ...spelled,
    ...makeEscapedSpecimens(folder),
    { name: 'json', options, secrets: formsOf(key) },
    { ...keystore, secrets: [...keystore.secrets, otherPassword] },
  ];
}

function isTextFormat(format: SpelledFormat): boolean {
  return format === 'utf8' || format === 'base64-text';
}

/** 32 bytes, printable for text formats. */
function keyFor(format: SpelledFormat): Buffer {
  return isTextFormat(format) ? Buffer.from(randomBytes(24).toString('base64')) : randomBytes(32);
}

/** Forms of a key and of the derived secret. */
function traitsOf(format: SpelledFormat, key: Buffer): SoughtSecret['secrets'] {
  if (format !== 'base64-text') return formsOf(key);
  return [...formsOf(key), ...formsOf(Buffer.from(key.toString('base64')))];
}

function optionsFor(file: string, format: SpelledFormat): KeyFileOptions {
  const lengths = isTextFormat(format) ? { min: 1, max: 1024 } : LENGTH_32;
  return { file, format, lengths, allowSeedWithPublicKey: format === 'solana' };
}

function keystoreSpecimen(folder: TemporaryFolder): Specimen {
  const key = randomBytes(32);
  const password = Buffer.from(randomBytes(24).toString('base64'));
  const salt = randomBytes(32);
  const account = { address: `0x${'00'.repeat(20)}`, privateKey: hexlify(key) };
  const json = encryptKeystoreJsonSync(account, password.toString(), { salt, scrypt: { N: 1024, r: 8, p: 1 } });
  const derived = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  const keyStream = key.map((byte, index) => byte ^ ciphertextOf(json).readUInt8(index));
  const passwordFile = folder.file('password', password);
  return {
    name: 'keystore',
    options: { file: folder.file('keystore', json), format: 'keystore', lengths: LENGTH_32, passwordFile },
    secrets: [...formsOf(key), password, derived.subarray(0, 16), Buffer.from(keyStream)],
  };
}

function ciphertextOf(json: string): Buffer {
  const document = JSON.parse(json) as { readonly Crypto: { readonly ciphertext: string } };
  return Buffer.from(document.Crypto.ciphertext, 'hex');
}

/** Specimens of which a process has traces, once per trace. */
async function findTraces(manner: string, specimens: readonly Specimen[], lent: number): Promise<readonly string[]> {
  const jobs = specimens.map(({ options }) => JSON.stringify(options));
  const child = spawn(process.execPath, [fixture('hold-keys'), manner, ...jobs], {
    cwd: tmpdir(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [output] = await once(child.stdout, 'data');
    expect(String(output)).to.equal(`lent ${lent}`);
    return searchProcessMemory(Number(child.pid), specimens);
  } finally {
    child.kill('SIGKILL');
  }
}

function ed25519Pem(key: Buffer): string {
  const body = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key]).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
}
