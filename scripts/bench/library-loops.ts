import { randomBytes } from 'node:crypto';
import secp256k1 from 'secp256k1-native';
import sodium from 'sodium-native';
import type { Round } from './rounds.ts';

/** Calls between two reads of the clock. */
const STRIDE = 64;
const PAYLOAD_BYTES = 60;

/** libsodium's ed25519 in a loop over changing payloads. */
export function libsodiumLoop(ms: number): Round {
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, randomBytes(sodium.crypto_sign_SEEDBYTES));
  const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
  const payload = randomBytes(PAYLOAD_BYTES);
  return repeat(ms, (turn) => {
    payload.writeUInt32LE(turn);
    sodium.crypto_sign_detached(signature, payload, secretKey);
  });
}

/** libsecp256k1's recoverable signatures in a loop over changing digests. */
export function libsecp256k1Loop(ms: number): Round {
  const context = secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_SIGN);
  secp256k1.secp256k1_context_randomize(context, randomBytes(32));
  const secretKey = randomBytes(32);
  const signature = Buffer.alloc(secp256k1.secp256k1_ecdsa_recoverable_SIGBYTES);
  const digest = randomBytes(32);
  return repeat(ms, (turn) => {
    digest.writeUInt32LE(turn);
    secp256k1.secp256k1_ecdsa_sign_recoverable(context, signature, digest, secretKey);
  });
}

function repeat(ms: number, sign: (turn: number) => void): Round {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  let turn = 0;
  while (performance.now() - begin < ms) {
    for (const end = turn + STRIDE; turn < end; turn += 1) sign(turn);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (turn / (performance.now() - begin)) * 1000, cpuPer1000: (user + system) / 1000 / turn };
}
