import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { encodeBase58, encodeBase64, toBigInt } from 'ethers';
import { programAt } from '../programs/program.ts';
import { unprivileged } from '../unit/adapters/key-files/unprivileged.ts';
import type { Form } from './forms.ts';
import { MemoryAccessError, type MemorySearch, searchMemory } from './search.ts';
import { formsOf, searchProcessMemory } from './search-process-memory.ts';
import { secretOf, secretsOfKey, secretsOfMacKey } from './secrets.ts';
import { whileStopped } from './stop.ts';

const HOLDER = programAt(new URL('./holder.ts', import.meta.url));
const PAGE_BYTES = 4096;
/** A copy at each offset within a page. */
const COPIES = PAGE_BYTES;
const DISTANCE = PAGE_BYTES + 1;

// Reads /proc.
if (process.platform === 'linux') {
  describe('The search of process memory', () => {
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

    function formsFound({ traces }: MemorySearch): readonly string[] {
      return [...new Set(traces.map(({ form }) => form))];
    }

    afterEach(() => holder?.kill('SIGKILL'));

    it('finds nothing of a secret that the process no longer holds', async () => {
      expect((await searchHolder('not at all')).traces).to.deep.equal([]);
    }).timeout(60_000);

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
    }).timeout(60_000);

    it('finds secrets in an inaccessible page, and reports that page as inaccessible', async () => {
      const { traces, withoutAccessBytes } = await searchHolder('in a page without access');
      expect(traces.map(({ form, place }) => `${form} ${place}`)).to.deep.equal([
        'raw ---p anonymous',
        'raw ---p anonymous',
      ]);
      expect(withoutAccessBytes).to.be.at.least(PAGE_BYTES);
    }).timeout(60_000);

    for (const [manner, form] of [
      ['as an array of numbers', 'numbers of 8 bytes'],
      ['as an array of fractions', 'floats of 8 bytes'],
      ['as a BigInt', 'reversed'],
      ['as a Latin-1 text joined with other text', 'numbers of 2 bytes'],
      ['as a text of two-byte characters', 'hex lower utf-16'],
      ['as a text that grew', 'hex lower'],
    ] as const) {
      it(`finds a secret held ${manner}`, async () => {
        expect(formsFound(await searchHolder(manner))).to.include(form);
      }).timeout(60_000);
    }

    it('accounts for every mapped address of the process', async () => {
      const { pid } = await hold('not at all');
      const [search, mapped] = whileStopped(pid, () => [searchMemory(pid, []), mappedBytes(pid)] as const);
      const unreadable = search.unreadable.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(search.searchedBytes + search.unusedBytes + unreadable).to.equal(mapped);
      expect(search.searchedBytes).to.be.above(residentBytes(pid) / 2);
      expect(search.unreadable.filter(({ reason }) => reason === undefined)).to.deep.equal([]);
    }).timeout(60_000);

    it('stops the process, and resumes it afterwards, also after an error', async () => {
      const { pid } = await hold('not at all');
      const state = () => /^State:\t(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const failing = () =>
        whileStopped(pid, () => {
          throw new Error(state());
        });
      expect(failing).to.throw('T');
      expect(state()).not.to.equal('T');
    }).timeout(60_000);

    it('reports the remedy if the memory may not be read', () => {
      expect(() => unprivileged(() => searchMemory(1, []))).to.throw(
        MemoryAccessError,
        /process 1 may not be read .* as root\. .*SYS_PTRACE/,
      );
    });

    it('rejects secrets that are too short to be unambiguous', () => {
      const secret = { name: 'short', secrets: [Buffer.from('eleven byte')] };
      expect(() => searchProcessMemory(process.pid, [secret])).to.throw(RangeError, /too short/);
    });

    it('returns only the names of the secrets found in simple searches', async () => {
      const { pid, key } = await hold('in a page without access');
      const sought = [
        { name: 'bytes', secrets: [key] },
        { name: 'forms', secrets: formsOf(key) },
        { name: 'other', secrets: formsOf(randomBytes(32)) },
      ];
      expect(searchProcessMemory(pid, sought)).to.have.members(['bytes', 'forms', 'forms']);
    }).timeout(60_000);
  });
}

describe('The forms of a secret', () => {
  const key = randomBytes(32);

  /** Forms whose parts are all in `bytes`. */
  function formsIn(bytes: Uint8Array | string): readonly string[] {
    return formsOf(key).flatMap((form) => (standsIn(form, Buffer.from(bytes)) ? [form.name] : []));
  }

  function standsIn({ parts }: Form, bytes: Buffer): boolean {
    return parts.every((part) => bytes.includes(part));
  }

  const WRITTEN: { readonly [form: string]: Uint8Array | string } = {
    raw: key,
    reversed: Buffer.from(BigUint64Array.from(limbsOf(toBigInt(key))).buffer),
    'hex lower': key.toString('hex'),
    'hex upper': key.toString('hex').toUpperCase(),
    'hex lower utf-16': Buffer.from(key.toString('hex'), 'utf16le'),
    'hex lower with blanks': inspect(key),
    'hex upper with blanks': inspect(key).toUpperCase(),
    'hex lower with colons': Array.from(key, twoDigits).join(':'),
    'hex upper with colons': Array.from(key, twoDigits).join(':').toUpperCase(),
    'hex lower backwards': digitsFromLast(toBigInt(key)),
    'hex upper backwards': digitsFromLast(toBigInt(key)).toUpperCase(),
    'hex lower of reversed': Array.from(key, twoDigits).reverse().join(''),
    'base64 of reversed': encodeBase64(Uint8Array.from(key).reverse()),
    'base58 of reversed': encodeBase58(Uint8Array.from(key).reverse()),
    'Latin-1 as UTF-8': new TextEncoder().encode(String.fromCharCode(...key)),
    base58: encodeBase58(key),
    decimal: `${toBigInt(key)}`,
    'decimal of reversed': `${toBigInt(Buffer.from(key).reverse())}`,
    'numbers with commas': JSON.stringify(key),
    'numbers with commas and blanks': `[${Array.from(key).join(', ')}]`,
    'numbers with indices': JSON.stringify(new Uint8Array(key)),
    'numbers of 2 bytes': bytesOf(Uint16Array.from(key)),
    'numbers of 4 bytes': bytesOf(Int32Array.from(key)),
    'numbers of 8 bytes': bytesOf(BigUint64Array.from(key, BigInt)),
    'numbers of 2 bytes of reversed': bytesOf(Uint16Array.from(key).reverse()),
    'floats of 4 bytes': bytesOf(Float32Array.from(key)),
    'floats of 8 bytes': bytesOf(Float64Array.from(key)),
    'floats of 8 bytes of reversed': bytesOf(Float64Array.from(key).reverse()),
  };

  for (const [form, bytes] of Object.entries(WRITTEN)) {
    it(`contain ${form}, as other encoders write it`, () => {
      expect(formsIn(bytes)).to.include(form);
    });
  }

  for (const size of [2, 4, 8] as const) {
    it(`contain numbers of ${size} bytes in network byte order`, () => {
      const numbers = Buffer.alloc(size * key.length);
      for (const [index, byte] of key.entries()) numbers.writeUInt8(byte, size * (index + 1) - 1);
      expect(formsIn(numbers)).to.include(`numbers of ${size} bytes`);
    });
  }

  it('contain Latin-1 text with two bytes per character', () => {
    expect(formsIn(Buffer.from(`${key.toString('latin1')}\u2026`, 'utf16le'))).to.include('numbers of 2 bytes');
  });

  for (const before of [0, 1]) {
    it(`contain parts of OpenSSL output in lines of 15 bytes, with ${before} sign bytes`, () => {
      const digits = Array.from([...new Uint8Array(before), ...key], twoDigits);
      const lines = [0, 15, 30].map((start) => digits.slice(start, start + 15).join(':'));
      const text = Buffer.from(lines.join(':\n    '));
      const colons = formsOf(key).find(({ name }) => name === 'hex lower with colons');
      expect(colons?.parts.filter((part) => text.includes(part))).to.have.lengthOf.at.least(2);
    });
  }

  for (const before of [0, 1, 2, 3, 4, 5]) {
    for (const encoding of ['base64', 'base64url'] as const) {
      it(`contain ${encoding} after ${before} other bytes`, () => {
        const text = Buffer.concat([randomBytes(before), key, randomBytes(7)]).toString(encoding);
        expect(formsIn(text)).to.include(before % 3 === 0 ? encoding : `${encoding} +${before % 3}`);
      });
    }
  }

  for (const size of [4, 8]) {
    for (let before = 0; before < 2 * size; before += 1) {
      it(`contain words of ${size} bytes after ${before} other bytes`, () => {
        const message = Buffer.concat([randomBytes(before), key, randomBytes(2 * size)]);
        const words = message.subarray(0, message.length - (message.length % size));
        const offset = before % size === 0 ? '' : ` +${before % size}`;
        expect(formsIn(size === 4 ? words.swap32() : words.swap64())).to.include(`words of ${size} bytes${offset}`);
      });
    }
  }

  it('are searched in parts, none of them too short to be unambiguous', () => {
    const lengths = formsOf(key).flatMap(({ parts }) => parts.map(({ length }) => length));
    expect(Math.min(...lengths)).to.be.at.least(12);
    expect(formsOf(key).every(({ parts }) => parts.length > 1)).to.equal(true);
  });
});

describe('The secrets of a key', () => {
  const key = randomBytes(32);

  function bytesOf(name: string): Buffer {
    const secret = secretsOfKey('owner', 'ed25519', key).find((candidate) => candidate.name === name);
    return Buffer.concat(secret?.forms.find((form) => form.name === 'raw')?.parts ?? []);
  }

  for (const [hash, blockBytes] of [
    ['sha256', 64],
    ['sha512', 128],
  ] as const) {
    it(`contain the pads of HMAC with ${hash}`, () => {
      const names = secretsOfMacKey('owner', 'private key', key).map(({ name }) => name);
      expect(names).to.deep.equal(['private key', 'private key, HMAC inner pad', 'private key, HMAC outer pad']);
      const block = (name: string, fill: number) =>
        Buffer.concat([bytesOf(`private key, ${name}`), Buffer.alloc(blockBytes - key.length, fill)]);
      const inner = createHash(hash).update(block('HMAC inner pad', 0x36)).update('message').digest();
      const outer = createHash(hash).update(block('HMAC outer pad', 0x5c)).update(inner).digest();
      expect(outer).to.deep.equal(createHmac(hash, key).update('message').digest());
    });
  }

  it('contain the halves of the SHA-512 of an ed25519 seed', () => {
    const halves = ['first', 'second'].map((half) => bytesOf(`SHA-512 of the seed, ${half} half`));
    expect(Buffer.concat(halves)).to.deep.equal(createHash('sha512').update(key).digest());
  });

  it('contain the scalar of an ed25519 seed: as an X25519 key it has the same public point', () => {
    const u = toBigInt(publicBytes(keyOf('302e020100300506032b656e04220420', bytesOf('scalar'))).reverse());
    const point = publicBytes(ed25519KeyOf(key)).reverse();
    point.writeUInt8(point.readUInt8(0) & 0x7f, 0);
    // RFC 7748 §4.1: u = (1 + y) / (1 - y).
    const prime = 2n ** 255n - 19n;
    const y = toBigInt(point);
    expect((u * (1n - y + prime)) % prime).to.equal((1n + y) % prime);
  });

  it('contain seed and public key together, as wallets encode them', () => {
    const pair = secretsOfKey('owner', 'ed25519', key).find(({ name }) => name === 'seed and public key');
    const text = encodeBase58(Buffer.concat([key, publicBytes(ed25519KeyOf(key))]));
    const base58 = pair?.forms.find(({ name }) => name === 'base58');
    expect(base58?.parts.map(String).every((part) => text.includes(part))).to.equal(true);
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

function ed25519KeyOf(seed: Buffer): KeyObject {
  return keyOf('302e020100300506032b657004220420', seed);
}

/** PKCS#8 with the prefix `start`, hex (RFC 8410 §7). */
function keyOf(start: string, key: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([Buffer.from(start, 'hex'), key]), format: 'der', type: 'pkcs8' });
}

function publicBytes(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** Least significant first. */
function limbsOf(number: bigint): readonly bigint[] {
  return [0n, 64n, 128n, 192n].map((shift) => BigInt.asUintN(64, number >> shift));
}

function mappedBytes(pid: number): number {
  const ranges = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) /gm);
  return [...ranges].reduce((sum, [, start, end]) => sum + Number(BigInt(`0x${end}`) - BigInt(`0x${start}`)), 0);
}

function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
