import { setImmediate as nextTurn } from 'node:timers/promises';
import sodium from 'sodium-native';
import { Ed25519Signer } from '../../src/adapters/signing/ed25519-signer.ts';
import { Eip191Signer } from '../../src/adapters/signing/eip191-signer.ts';
import { openSecret, sealSecret } from '../../src/adapters/vault/key-encryption-key.ts';
import { LockedBuffer } from '../../src/adapters/vault/locked-buffer.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import type { PublicKeySigner, Signer } from '../../src/ports/signer.ts';
import { median } from '../proof/statistics.ts';

/*
 * Cost of custody, in microseconds and ratios: storing the key-encryption key
 * (docs/decisions/0006-keys-in-memory.md) and verifying before release
 * (docs/decisions/0007-verify-before-release.md). Half a minute.
 */

const ROUNDS = 9;
const BURSTS_PER_ROUND = 256;
const CALLS_PER_BURST = 8;
const CALLS_PER_ROUND = BURSTS_PER_ROUND * CALLS_PER_BURST;
const MESSAGE = Buffer.alloc(120, 'signed bytes ');
const IDENTITY = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

/** Median microseconds a call; candidates alternate, so that noise affects all alike. */
async function measure(candidates: { readonly [name: string]: { readonly call: () => void } }) {
  const times = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, { call }] of Object.entries(candidates)) {
      // Timers that wipe run between bursts, as in a service.
      let spent = 0n;
      for (let burst = 0; burst < BURSTS_PER_ROUND; burst += 1) {
        const from = process.hrtime.bigint();
        for (let index = 0; index < CALLS_PER_BURST; index += 1) call();
        spent += process.hrtime.bigint() - from;
        await nextTurn();
      }
      // The first round warms up.
      if (round > 0) times.get(name)?.push(Number(spent) / CALLS_PER_ROUND / 1000);
    }
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
}

function print(heading: string, times: { readonly [name: string]: number }): void {
  const [[, base = Number.NaN] = []] = Object.entries(times);
  process.stdout.write(`\n${heading}\n`);
  for (const [name, time] of Object.entries(times)) {
    process.stdout.write(
      `  ${name.padEnd(62)} ${time.toFixed(1).padStart(7)} µs  ${(time / base).toFixed(2).padStart(6)}\n`,
    );
  }
}

/** A signing key in ordinary memory, for measurements only. */
function expandKey(signer: Signer): Buffer {
  const privateKey = Buffer.alloc(signer.privateKeyLengths.max, 1);
  const signingKey = Buffer.alloc(signer.signingKeyLength(privateKey.length));
  signer.expand(privateKey, signingKey);
  return signingKey;
}

async function measureOpening(): Promise<void> {
  const key = Buffer.alloc(64, 1);
  const context = Buffer.from('context of about as many bytes as an account has in the vault, which is some ninety');
  const kept = new LockedBuffer(32);
  const prekey = new LockedBuffer(16_384);
  const derived = new LockedBuffer(32);
  const scratch = new LockedBuffer(1024);
  for (const buffer of [kept, prekey]) buffer.use((bytes) => sodium.randombytes_buf(bytes));
  const sealed = kept.use((bytes) => sealSecret(key, context, bytes));
  const underDerived = prekey.use((bytes) => sealSecret(key, context, deriveFrom(bytes, Buffer.alloc(32))));
  const store = new SodiumKeyStore();
  const handle = store.create(IDENTITY, key.length, (secret) => secret.set(key));
  const open = () => store.use(handle, () => undefined);
  print(
    'Opening a key and closing it again',
    await measure({
      'key-encryption key kept on a page without access': {
        call: () =>
          scratch.useAndWipe((bytes) => kept.use((kek) => openSecret(sealed, context, kek, bytes.subarray(0, 64)))),
      },
      'derived from the 16 KiB prekey at each opening': {
        call: () =>
          scratch.useAndWipe((bytes) => {
            prekey.use((pre) =>
              derived.useAndWipe((kek) =>
                openSecret(underDerived, context, deriveFrom(pre, kek), bytes.subarray(0, 64)),
              ),
            );
          }),
      },
      'the vault: derived, and kept for 10 ms': { call: open },
    }),
  );
  store.purge();
}

function deriveFrom(prekey: Buffer, output: Buffer): Buffer {
  sodium.crypto_generichash(output, prekey);
  return output;
}

async function measureVerifying(signer: PublicKeySigner): Promise<void> {
  const signingKey = expandKey(signer);
  const publicKey = signer.publicKey(signingKey);
  const store = new SodiumKeyStore();
  const handle = store.create({ ...IDENTITY, algorithm: signer.algorithm }, signingKey.length, (secret) =>
    secret.set(signingKey),
  );
  const sign = () => store.use(handle, (key) => signer.sign(key, MESSAGE, 'hex'));
  print(
    `${signer.algorithm}`,
    await measure({
      'open the key and sign': { call: sign },
      'open the key, sign and verify': {
        call: () => assertTrue(signer.verify(publicKey, MESSAGE, sign(), 'hex')),
      },
      'sign alone, with a key in ordinary memory': { call: () => signer.sign(signingKey, MESSAGE, 'hex') },
    }),
  );
  store.purge();
}

function assertTrue(verifies: boolean): void {
  if (!verifies) throw new Error('A signature does not verify.');
}

process.stdout.write(
  `Node ${process.version}, ${process.arch}; microseconds a call and the ratio to the first line of each table\n`,
);
await measureOpening();
for (const signer of [new Ed25519Signer(), new Eip191Signer()]) await measureVerifying(signer);
