import { createHmac } from 'node:crypto';
import { readSync } from 'node:fs';
import { HmacSigner } from '../../src/adapters/signing/hmac-signer.ts';

/**
 * Examined program: reads a key from standard input and makes MACs, each of which a deoptimization
 * of V8 follows; that saves the processor's vector registers to ordinary memory. Reports and waits
 * for end of input.
 */
const [manner] = process.argv.slice(2);
const ROUNDS = 200;
const CALLS_UNTIL_OPTIMIZED = 3000;

const key = Buffer.alloc(32);
readSync(0, key);
const signer = new HmacSigner('hmac-sha256');
const message = Buffer.from('message');
const makeMac =
  manner === 'with the signer'
    ? () => signer.sign(key, message, 'hex')
    : () => createHmac('sha256', key).update(message).digest('hex');

for (let round = 0; round < ROUNDS; round += 1) {
  // A function of its own, optimized for small integers, in each round.
  const addAfter = new Function('work', 'terms', `work(); return terms.first + ${round};`);
  for (let call = 0; call < CALLS_UNTIL_OPTIMIZED; call += 1) addAfter(() => undefined, { first: call });
  addAfter(makeMac, { other: 1, first: 2.5 });
}
key.fill(0);
process.stdout.write('made');
process.stdin.resume().on('end', () => process.exit(0));
