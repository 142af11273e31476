import { type ChildProcess, spawn } from 'node:child_process';
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { encodeBase58, encodeBase64, toBigInt } from 'ethers';
import { unprivileged } from '../unit/adapters/secret-files/unprivileged.ts';
import { MemoryAccessError, type MemorySearch, searchMemory } from './search.ts';
import { formsOf } from './search-process-memory.ts';
import { secretOf, secretsOfKey } from './secrets.ts';
import { whileStopped } from './stop.ts';

/* What the leaking signers of the memory proof (tests/memory/leaks.ts) leave open. */

const HOLDER = fileURLToPath(new URL('./holder.js', import.meta.url));
const PAGE_BYTES = 4096;
/** A copy at each offset within a page. */
const COPIES = PAGE_BYTES;
const DISTANCE = PAGE_BYTES + 1;

// Reads /proc.
if (process.platform === 'linux') {
  describe('The search of process memory', function () {
    this.timeout(60_000);
    let holder: ChildProcess;

    async function hold(manner: string): Promise<{ readonly pid: number; readonly key: Buffer }> {
      const key = randomBytes(32);
      holder = spawn(process.execPath, [HOLDER, manner, String(COPIES), String(DISTANCE)], {
        cwd: tmpdir(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      holder.stdin?.write(key);
      if (holder.stdout !== null) await once(holder.stdout, 'data');
      return { pid: Number(holder.pid), key };
    }

    async function searchHolder(manner: string, chunkBytes?: number): Promise<MemorySearch> {
      const { pid, key } = await hold(manner);
      return whileStopped(pid, () => searchMemory(pid, [secretOf('holder', 'key', key)], chunkBytes));
    }

    afterEach(() => holder?.kill('SIGKILL'));

    it('finds each copy once, even across a read boundary', async () => {
      const { traces } = await searchHolder('again and again', PAGE_BYTES);
      for (const part of [0, 1]) {
        const places = traces.filter((trace) => trace.part === part).map(({ address }) => address);
        expect(places).to.have.lengthOf(COPIES);
        expect(places.every((place, index) => index === 0 || place - Number(places[index - 1]) === DISTANCE)).to.equal(
          true,
        );
        expect(new Set(places.map((place) => place % PAGE_BYTES))).to.have.property('size', PAGE_BYTES);
      }
    });

    for (const [manner, form] of [
      ['as a text of two-byte characters', 'hex lower utf-16'],
      ['as a text that grew', 'hex lower'],
    ] as const) {
      it(`finds a secret held ${manner}`, async () => {
        expect((await searchHolder(manner)).traces.map((trace) => trace.form)).to.include(form);
      });
    }

    it('accounts for every mapped address of the process', async () => {
      const { pid, key } = await hold('not at all');
      const secrets = [secretOf('holder', 'key', key)];
      const [search, mapped] = whileStopped(pid, () => [searchMemory(pid, secrets), mappedBytes(pid)] as const);
      const unreadable = search.unreadable.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(search.searchedBytes + search.unusedBytes + unreadable).to.equal(mapped);
      expect(search.searchedBytes).to.be.above(residentBytes(pid) / 2);
      expect(search.unreadable.filter(({ reason }) => reason === undefined)).to.deep.equal([]);
    });

    it('stops the process, and resumes it afterwards, also after an error', async () => {
      const { pid } = await hold('not at all');
      const state = () => /^State:\t(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const failing = () =>
        whileStopped(pid, () => {
          throw new Error(state());
        });
      expect(failing).to.throw('T');
      expect(state()).not.to.equal('T');
    });

    it('reports the remedy if the memory may not be read', () => {
      expect(() => unprivileged(() => searchMemory(1, []))).to.throw(
        MemoryAccessError,
        /process 1 may not be read .* as root\. .*SYS_PTRACE/,
      );
    });
  });
}

describe('The forms of a secret', () => {
  const key = randomBytes(32);
  const reversed = Uint8Array.from(key).reverse();

  const WRITTEN: { readonly [form: string]: Uint8Array | string } = {
    'hex upper': key.toString('hex').toUpperCase(),
    'hex lower with blanks': inspect(key),
    'hex upper with colons': Array.from(key, twoDigits).join(':').toUpperCase(),
    'hex upper backwards': digitsFromLast(toBigInt(key)).toUpperCase(),
    'base64 of reversed': encodeBase64(reversed),
    'base58 of reversed': encodeBase58(reversed),
    base64url: key.toString('base64url'),
    'base64url +1': Buffer.concat([randomBytes(4), key, randomBytes(7)]).toString('base64url'),
    'base64url +2': Buffer.concat([randomBytes(5), key, randomBytes(7)]).toString('base64url'),
    'decimal of reversed': `${toBigInt(reversed)}`,
    'numbers with commas and blanks': `[${Array.from(key).join(', ')}]`,
    'numbers with indices': JSON.stringify(new Uint8Array(key)),
    'numbers of 4 bytes': bytesOf(Int32Array.from(key)),
    'numbers of 2 bytes of reversed': bytesOf(Uint16Array.from(reversed)),
    'floats of 4 bytes': bytesOf(Float32Array.from(key)),
    'floats of 8 bytes of reversed': bytesOf(Float64Array.from(reversed)),
    'words of 4 bytes +3': Buffer.concat([randomBytes(7), key, randomBytes(1)]).swap32(),
    'words of 8 bytes +5': Buffer.concat([randomBytes(13), key, randomBytes(3)]).swap64(),
  };

  for (const [form, bytes] of Object.entries(WRITTEN)) {
    it(`contain ${form}, as other encoders write it`, () => {
      const forms = formsOf(key).filter(({ parts }) => parts.every((part) => Buffer.from(bytes).includes(part)));
      expect(forms.map(({ name }) => name)).to.include(form);
    });
  }

  for (const before of [0, 1]) {
    it(`contain parts of OpenSSL output in lines of 15 bytes, with ${before} sign bytes`, () => {
      const digits = Array.from([...new Uint8Array(before), ...key], twoDigits);
      const lines = [0, 15, 30].map((start) => digits.slice(start, start + 15).join(':'));
      const text = Buffer.from(lines.join(':\n    '));
      const colons = formsOf(key).find(({ name }) => name === 'hex lower with colons');
      expect(colons?.parts.filter((part) => text.includes(part))).to.have.lengthOf.at.least(2);
    });
  }

  it('are searched in parts, none of them too short to be unambiguous', () => {
    const lengths = formsOf(key).flatMap(({ parts }) => parts.map(({ length }) => length));
    expect(Math.min(...lengths)).to.be.at.least(12);
    expect(formsOf(key).every(({ parts }) => parts.length > 1)).to.equal(true);
  });

  it('include the scalar of an ed25519 seed: as an X25519 key it has the same public point', () => {
    const scalar = secretsOfKey('owner', 'ed25519', key).find(({ name }) => name === 'scalar');
    const raw = Buffer.concat(scalar?.forms.find(({ name }) => name === 'raw')?.parts ?? []);
    expect(raw.readUInt8(0) & 7).to.equal(0);
    const u = toBigInt(publicBytes(keyOf('302e020100300506032b656e04220420', raw)).reverse());
    const point = publicBytes(keyOf('302e020100300506032b657004220420', key)).reverse();
    point.writeUInt8(point.readUInt8(0) & 0x7f, 0);
    // RFC 7748 §4.1: u = (1 + y) / (1 - y).
    const prime = 2n ** 255n - 19n;
    const y = toBigInt(point);
    expect((u * (1n - y + prime)) % prime).to.equal((1n + y) % prime);
  });
});

function twoDigits(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Hex digits in the order of repeated division. */
function digitsFromLast(number: bigint): string {
  return Array.from({ length: 64 }, (_, digit) => ((number >> BigInt(4 * digit)) & 15n).toString(16)).join('');
}

function bytesOf({ buffer }: { readonly buffer: ArrayBuffer }): Buffer {
  return Buffer.from(buffer);
}

/** PKCS#8 with the prefix `start`, hex (RFC 8410 §7). */
function keyOf(start: string, key: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([Buffer.from(start, 'hex'), key]), format: 'der', type: 'pkcs8' });
}

function publicBytes(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
}

function mappedBytes(pid: number): number {
  const ranges = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) /gm);
  return [...ranges].reduce((sum, [, start, end]) => sum + Number(BigInt(`0x${end}`) - BigInt(`0x${start}`)), 0);
}

function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
