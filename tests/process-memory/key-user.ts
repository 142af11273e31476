import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { decodeKeys } from '../../src/adapters/key-helper/decode-keys.ts';
import { MAX_SECRET_LENGTH } from '../../src/adapters/vault/secret-bytes.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import { loadSigner } from '../../src/app/load-signer.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { KeyFileReference } from '../../src/domain/model/key-source.ts';

/** Steps after which V8 deoptimizes; the last two are controls. */
export const STEPS = ['read', 'expanded', 'opened', 'signed'] as const;
type Step = (typeof STEPS)[number] | 'copied' | 'signed by OpenSSL';

/** A line of standard input. */
export interface KeyUse {
  readonly step: Step;
  readonly algorithm: Algorithm;
  readonly reference: KeyFileReference;
}

/**
 * Examined program: uses keys as the service does, with a deoptimization of V8 after one step; that
 * saves the processor's vector registers to ordinary memory. Answers each line of standard input, a
 * {@link KeyUse}, with a line.
 */
const ROUNDS = 5;
const CALLS_UNTIL_OPTIMIZED = 30_000;
const OPTIMIZING_MS = 10;
const FIELDS = { platformId: 'platform', accountId: 'account' };

const REACHED = new Error('The step was reached.');
const keyStore = new SodiumKeyStore();
const copied = Buffer.alloc(MAX_SECRET_LENGTH);
let made = 0;

/**
 * Runs `work` in a function of its own, optimized for small integers, which is deoptimized next.
 */
async function prepare(): Promise<(work: () => void) => void> {
  made += 1;
  const addAfter = new Function('work', 'terms', `work(); return terms.first + ${made};`);
  const call = (): void => {
    for (let first = 0; first < CALLS_UNTIL_OPTIMIZED; first += 1) addAfter(() => undefined, { first });
  };
  call();
  // V8 optimizes in another thread, and uses the result in later calls.
  await setTimeout(OPTIMIZING_MS);
  call();
  return (work) => addAfter(work, { other: 1, first: 2.5 });
}

/** Uses a key until `step`, then ends before other work overwrites what deoptimization saved. */
async function use({ step, algorithm, reference }: KeyUse): Promise<void> {
  const signer = await loadSigner(algorithm);
  const decoded = await decodeKeys([{ ...reference, algorithm, secretDecoding: 'utf8' }]);
  const deoptimizeAfter = await prepare();
  const endAt = (name: Step, work: () => void = () => undefined): void => {
    if (name !== step) return;
    deoptimizeAfter(work);
    throw REACHED;
  };
  try {
    const handle = decoded.use(0, (privateKey) => {
      endAt('read');
      endAt('copied', () => Buffer.from(privateKey.buffer, privateKey.byteOffset, privateKey.length).copy(copied));
      endAt('signed by OpenSSL', () => createHmac('sha256', privateKey).update('message').digest('hex'));
      return keyStore.create({ ...FIELDS, algorithm }, signer.signingKeyLength ?? privateKey.length, (signingKey) => {
        endAt('expanded', () => signer.expand(privateKey, signingKey));
        signer.expand(privateKey, signingKey);
      });
    });
    keyStore.use(handle, (signingKey) => {
      endAt('opened');
      endAt('signed', () => signer.sign(signingKey, signer.probe, 'hex'));
    });
  } catch (error) {
    if (error !== REACHED) throw error;
  } finally {
    decoded.close();
  }
  copied.fill(0);
}

for await (const line of createInterface({ input: process.stdin })) {
  const keyUse: KeyUse = JSON.parse(line);
  for (let round = 0; round < ROUNDS; round += 1) await use(keyUse);
  process.stdout.write('used\n');
}
