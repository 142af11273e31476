import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import secp256k1 from 'secp256k1-native';
import sodium from 'sodium-native';
import { recordFlags } from '../../src/adapters/driven/audit-sink/record-flags.ts';
import { answerQuestions } from './asked-process.ts';

/* The limits of one processor and of the disk: the libraries' own functions in a loop, and records that are appended in groups, each durable before the next, by the calls that the service makes. */

/** One of the limits, measured for so many milliseconds. */
export type RawQuestion =
  | { readonly limit: 'libsodium'; readonly payloadBytes: number; readonly ms: number }
  | { readonly limit: 'libsecp256k1'; readonly ms: number }
  | {
      readonly limit: 'disk';
      readonly folder: string;
      readonly lineBytes: number;
      readonly group: number;
      readonly ms: number;
    };

/** Signatures or records a second. */
export interface RawRate {
  readonly perSecond: number;
}

/** Calls between two looks at the clock. */
const STRIDE = 64;
const NEWLINE = '\n';

answerQuestions(async (question: RawQuestion): Promise<RawRate> => {
  if (question.limit === 'libsodium') return repeat(ed25519Loop(question.payloadBytes), STRIDE, question.ms);
  if (question.limit === 'libsecp256k1') return repeat(secp256k1Loop(), STRIDE, question.ms);
  return diskRate(question);
});

/** Each signature is over another payload. */
function ed25519Loop(payloadBytes: number): (turn: number) => void {
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, randomBytes(sodium.crypto_sign_SEEDBYTES));
  const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
  const payload = randomBytes(payloadBytes);
  return (turn) => {
    payload.writeUInt32LE(turn);
    sodium.crypto_sign_detached(signature, payload, secretKey);
  };
}

/** Each signature is over another digest. */
function secp256k1Loop(): (turn: number) => void {
  const context = secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_SIGN);
  secp256k1.secp256k1_context_randomize(context, randomBytes(32));
  const secretKey = createHash('sha256').update(randomBytes(32)).digest();
  const signature = Buffer.alloc(secp256k1.secp256k1_ecdsa_recoverable_SIGBYTES);
  const digest = randomBytes(32);
  return (turn) => {
    digest.writeUInt32LE(turn);
    secp256k1.secp256k1_ecdsa_sign_recoverable(context, signature, digest, secretKey);
  };
}

function diskRate({ folder, lineBytes, group, ms }: Extract<RawQuestion, { limit: 'disk' }>): RawRate {
  const path = join(folder, 'group-commits.jsonl');
  const file = openSync(path, recordFlags(path) | constants.O_CREAT, 0o600);
  const lines = Buffer.from(`${'x'.repeat(lineBytes - 1)}${NEWLINE}`.repeat(group));
  try {
    const { perSecond } = repeat(() => writeSync(file, lines), 1, ms);
    return { perSecond: perSecond * group };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

function repeat(once: (turn: number) => void, stride: number, ms: number): RawRate {
  const begin = performance.now();
  let turn = 0;
  while (performance.now() - begin < ms) {
    for (const end = turn + stride; turn < end; turn += 1) once(turn);
  }
  return { perSecond: (turn / (performance.now() - begin)) * 1000 };
}
