import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import bs58 from 'bs58';
import { expect } from 'chai';
import { encryptKeystoreJsonSync, hexlify } from 'ethers';
import type { KeyFileOptions } from '../../../src/secure-memory/key-file.ts';
import { fixture, TSX } from './child-process.ts';
import { type TemporaryFolder, useTemporaryFolder } from './temporary-folder.ts';

/** A key file, and what must not be found in the memory of a process that has used it. */
interface Specimen {
  readonly name: string;
  readonly options: KeyFileOptions;
  readonly secrets: readonly Buffer[];
}

const CHUNK_BYTES = 8 * 1024 * 1024;
const OVERLAP_BYTES = 4096;

// Only Linux shows a process's memory as a file.
if (process.platform === 'linux') {
  describe('the memory of a process that has used key files', () => {
    const folder = useTemporaryFolder();

    it('holds no trace of the keys, of their text, or of a password', async function () {
      this.timeout(120_000);
      const specimens = [...makeSpecimens(folder), keystoreSpecimen(folder)];
      expect(await findTraces('with care', specimens, specimens.length)).to.deep.equal([]);
    });

    it('holds no trace of what was refused', async function () {
      this.timeout(120_000);
      expect(await findTraces('with care', makeRefusedSpecimens(folder), 0)).to.deep.equal([]);
    });

    it('would show them: content that was read the ordinary way is found', async function () {
      this.timeout(120_000);
      const specimens = makeSpecimens(folder);
      const found = await findTraces('carelessly', specimens, specimens.length);
      expect([...new Set(found)]).to.have.members(specimens.map(({ name }) => name));
    });
  });
}

const SPELLINGS = {
  raw: (key: Buffer) => key,
  hex: (key: Buffer) => Buffer.from(key.toString('hex')),
  base58: (key: Buffer) => Buffer.from(bs58.encode(key)),
  base64: (key: Buffer) => Buffer.from(key.toString('base64')),
  pem: (key: Buffer) => Buffer.from(ed25519Pem(key)),
} as const;
const SPELLED_FORMATS = ['raw', 'hex', 'base58', 'base64', 'pem'] as const;

function makeSpecimens(folder: TemporaryFolder): readonly Specimen[] {
  return SPELLED_FORMATS.map((format) => {
    const key = randomBytes(32);
    const content = SPELLINGS[format](key);
    const file = folder.file(format, content);
    return { name: format, options: { file, format, length: 32 }, secrets: [...formsOf(key), content] };
  });
}

/** Keys with a blank and a digit too many, one in JSON, and one in a keystore whose password is wrong. */
function makeRefusedSpecimens(folder: TemporaryFolder): readonly Specimen[] {
  const spelled = SPELLED_FORMATS.map((format) => {
    const key = randomBytes(32);
    const file = folder.file(format, Buffer.concat([SPELLINGS[format](key), Buffer.from(' 1')]));
    return { name: format, options: { file, format, length: 32 }, secrets: [...formsOf(key), SPELLINGS[format](key)] };
  });
  const key = randomBytes(32);
  const file = folder.file('json', JSON.stringify({ version: 3, privateKey: key.toString('hex') }));
  const options = { file, length: 32, passwordFile: folder.file('no-password', 'password') };
  const keystore = keystoreSpecimen(folder);
  const otherPassword = Buffer.from(randomBytes(24).toString('base64'));
  folder.file('password', otherPassword);
  return [
    ...spelled,
    { name: 'json', options, secrets: formsOf(key) },
    { ...keystore, secrets: [...keystore.secrets, otherPassword] },
  ];
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
    options: { file: folder.file('keystore', json), format: 'keystore', length: 32, passwordFile },
    secrets: [...formsOf(key), password, derived.subarray(0, 16), Buffer.from(keyStream)],
  };
}

function ciphertextOf(json: string): Buffer {
  const document = JSON.parse(json) as { readonly Crypto: { readonly ciphertext: string } };
  return Buffer.from(document.Crypto.ciphertext, 'hex');
}

/** Ways in which a key could stand in memory: bytes in either order, and texts of one and of two bytes a character. */
function formsOf(key: Buffer): readonly Buffer[] {
  const hex = key.toString('hex');
  const texts = [hex, hex.toUpperCase(), key.toString('base64'), bs58.encode(key), BigInt(`0x${hex}`).toString()];
  return [
    key,
    Buffer.from(key).reverse(),
    ...texts.flatMap((text) => [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')]),
  ];
}

/** The names of the specimens of which a process that has used them holds a trace, once for each trace. */
async function findTraces(manner: string, specimens: readonly Specimen[], lent: number): Promise<readonly string[]> {
  const jobs = specimens.map(({ options }) => JSON.stringify(options));
  const child = spawn(process.execPath, ['--import', TSX, fixture('hold-keys.ts'), manner, ...jobs], {
    cwd: tmpdir(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [output] = await once(child.stdout, 'data');
    expect(String(output)).to.equal(`lent ${lent}`);
    return searchMemory(child, specimens);
  } finally {
    child.kill('SIGKILL');
  }
}

function searchMemory(child: ChildProcess, specimens: readonly Specimen[]): readonly string[] {
  const memory = openSync(`/proc/${child.pid}/mem`, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const found: string[] = [];
  let searched = 0;
  try {
    for (const [start, end] of readableRanges(child)) {
      for (let at = start; at < end; at += BigInt(CHUNK_BYTES - OVERLAP_BYTES)) {
        const length = Number(end - at < BigInt(CHUNK_BYTES) ? end - at : BigInt(CHUNK_BYTES));
        const count = readMemory(memory, chunk, length, at);
        searched += count;
        for (const { name, secrets } of specimens) {
          for (const secret of secrets) if (chunk.subarray(0, count).includes(secret)) found.push(name);
        }
      }
    }
  } finally {
    closeSync(memory);
  }
  expect(searched, 'bytes searched').to.be.greaterThan(10_000_000);
  return found;
}

/** Address ranges that the process can read, but for the kernel's own. */
function readableRanges(child: ChildProcess): readonly (readonly [bigint, bigint])[] {
  return readFileSync(`/proc/${child.pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => /^\S+ r/.test(line) && !/\[(?:vvar|vsyscall)/.test(line))
    .map((line) => {
      const [start = '0', end = '0'] = (line.split(' ')[0] ?? '').split('-');
      return [BigInt(`0x${start}`), BigInt(`0x${end}`)] as const;
    });
}

function readMemory(memory: number, target: Buffer, length: number, position: bigint): number {
  try {
    return readSync(memory, target, 0, length, position);
  } catch {
    // A range that is mapped and can't be read holds nothing, or a device.
    return 0;
  }
}

function ed25519Pem(key: Buffer): string {
  const body = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key]).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
}
