import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import bs58 from 'bs58';
import { keccak256 as ethersKeccak256 } from 'ethers/crypto';
import { hashMessage } from 'ethers/hash';
import { getBytes } from 'ethers/utils';
import { keccak256 } from '../../src/adapters/signing/ethereum-address.ts';
import { encodeBase58 } from '../../src/domain/model/text/byte-encodings.ts';
import { print, printRow } from '../run/print.ts';

/*
 * Cost of encodings and digests beside alternatives. A second.
 *
 * npm run measure -- encodings
 */

const WARM_UP = 20_000;
const CALLS = 50_000;
const ROUNDS = 5;
const TABLE = [44, 8, 7] as const;

const signatures = Array.from({ length: 64 }, () => randomBytes(64));
const messages = Array.from({ length: 64 }, () => randomBytes(90));
const prefix = Buffer.from('\x19Ethereum Signed Message:\n90');

/** Minimum of the rounds, microseconds a call. */
function measured(call: (index: number) => unknown): number {
  for (let index = 0; index < WARM_UP; index += 1) call(index % 64);
  const times = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    for (let index = 0; index < CALLS; index += 1) call(index % 64);
    return ((performance.now() - from) * 1000) / CALLS;
  });
  return Math.min(...times);
}

function compare(heading: string, calls: readonly (readonly [string, (index: number) => unknown])[]): void {
  print(`\n${heading}`);
  printRow(['', 'µs', 'ratio'], TABLE);
  const times = calls.map(([, call]) => measured(call));
  for (const [index, [name]] of calls.entries()) {
    const time = times[index] ?? Number.NaN;
    printRow([name, time.toFixed(2), (time / (times[0] ?? Number.NaN)).toFixed(2)], TABLE);
  }
}

const signature = (index: number) => signatures[index] as Buffer;
const message = (index: number) => messages[index] as Buffer;

// Waits for the WebAssembly to compile.
await sleep(500);
print(`Node ${process.version}, ${process.arch}; the least of ${ROUNDS} rounds`);
compare('Base58 of a signature, 64 bytes', [
  ['bs58', (index) => bs58.encode(signature(index))],
  ['byte-encodings.ts', (index) => encodeBase58(signature(index))],
]);
compare('EIP-191 digest of a message of 90 bytes', [
  ['ethers hashMessage', (index) => getBytes(hashMessage(message(index)))],
  ['ethers keccak256', (index) => getBytes(ethersKeccak256(Buffer.concat([prefix, message(index)])))],
  ['keccak-256.ts (hash-wasm)', (index) => keccak256(prefix, message(index))],
]);
