import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import bs58 from 'bs58';
import { blake2b } from 'hash-wasm';
import { freePort } from '../../../tests/programs/free-port.ts';
import type { Signed } from './proof.ts';
import { type Run, runStartScript, type Service, untilReady } from './start.ts';

/*
 * Signatory with a key in a file, which it reads at its start, and its default log level. It signs
 * only operations of Tezos that it can parse: here packed data (0x05), whose one value is a byte
 * string (0x0a) of exactly PAYLOAD_BYTES bytes. Of the kinds that accept any bytes it is the
 * cheapest to parse, and it has no watermark, so nothing is written before the signature.
 */

/** Length of the benchmark's payloads. */
const PAYLOAD_BYTES = 140;
const PACKED = `050a${PAYLOAD_BYTES.toString(16).padStart(8, '0')}`;
/** Prefixes of Base58Check: hash of an ed25519 public key, seed of its private key, signature. */
const PREFIXES = { hash: '06a19f', seed: '0d0f3a07', signature: '09f5cd8612' };
const CHECKSUM_BYTES = 4;

function checksum(bytes: Buffer): Buffer {
  const once = createHash('sha256').update(bytes).digest();
  return createHash('sha256').update(once).digest().subarray(0, CHECKSUM_BYTES);
}

/** Base58Check. */
function encode(prefix: string, data: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(prefix, 'hex'), data]);
  return bs58.encode(Buffer.concat([bytes, checksum(bytes)]));
}

function decode(prefix: string, text: string): Buffer {
  const all = Buffer.from(bs58.decode(text));
  const bytes = all.subarray(0, -CHECKSUM_BYTES);
  if (!checksum(bytes).equals(all.subarray(-CHECKSUM_BYTES))) throw new Error('wrong checksum');
  const start = Buffer.from(prefix, 'hex');
  if (!bytes.subarray(0, start.length).equals(start)) throw new Error('wrong prefix');
  return bytes.subarray(start.length);
}

async function start(folder: string, run: Run): Promise<Service> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  const account = encode(PREFIXES.hash, Buffer.from(await blake2b(raw, 160), 'hex'));
  const keys = join(folder, 'keys.json');
  const value = `unencrypted:${encode(PREFIXES.seed, seed)}`;
  writeFileSync(keys, JSON.stringify([{ name: 'bench', value }]), { mode: 0o600 });
  const [port, utilityPort] = [await freePort(), await freePort()];
  const configuration = join(folder, 'signatory.json');
  mkdirSync(join(folder, 'base'));
  // It reads YAML, which includes JSON.
  const settings = {
    base_dir: join(folder, 'base'),
    server: { address: `127.0.0.1:${port}`, utility_address: `127.0.0.1:${utilityPort}` },
    vaults: { bench: { driver: 'file', config: { file: keys } } },
    tezos: { [account]: { allow: { pack: [] } } },
  };
  writeFileSync(configuration, JSON.stringify(settings));
  run('serve', '-c', configuration);
  const url = `http://127.0.0.1:${port}/keys/${account}`;
  await untilReady(async () => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  });
  return {
    name: 'Signatory',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(`${PACKED}{{hex}}`),
    batchBody: null,
    publicKey: raw,
  };
}

/** Signatory signs the BLAKE2b hash, of 32 bytes. */
async function read(body: string, response: string): Promise<readonly Signed[]> {
  const sent: string = JSON.parse(body);
  const { signature }: { signature: string } = JSON.parse(response);
  const message = Buffer.from(await blake2b(Buffer.from(sent, 'hex'), 256), 'hex');
  return [{ message, signature: decode(PREFIXES.signature, signature) }];
}

await runStartScript({
  file: import.meta.filename,
  variable: 'BENCH_SIGNATORY',
  program: 'signatory',
  versionArguments: ['version'],
  start,
  read,
});
