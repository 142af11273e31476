import { createHmac } from 'node:crypto';
import sodium from 'sodium-native';
import { withLockedBytes } from '../vault/locked-buffer.ts';
import { addToScalar, isScalar, writeCompressedPublicKey } from '../vault/secp256k1-key.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { HARDENED } from './derivation-path.ts';
import { MalformedSecretError } from './secret-text.ts';

const MASTER_KEY = Buffer.from('Bitcoin seed');
const KEY_BYTES = 32;
/** A private key and its chain code. */
const NODE_BYTES = 64;
const COMPRESSED_BYTES = 33;
const STEP_BYTES = COMPRESSED_BYTES + 4;

/**
 * Derives the secp256k1 private key of a path from a seed (BIP-32, "Master key generation" and
 * "Private parent key to private child key"). Keys and chain codes are in locked memory; each MAC
 * is also in an ordinary Buffer until it is copied and wiped.
 * @param seed 16 to 64 bytes
 * @param path indices, see `parseDerivationPath`
 * @returns bytes written to `output`: 32
 * @throws MalformedSecretError if a step has no valid key (a chance of 2^-127), or if `output` is
 * too small
 */
export function deriveBip32Key(seed: Buffer, path: readonly number[], output: Buffer): number {
  if (output.length < KEY_BYTES) throw new MalformedSecretError(`it has more than ${output.length} bytes`);
  return withLockedBytes(NODE_BYTES, (node) =>
    withLockedBytes(NODE_BYTES, (child) =>
      withLockedBytes(STEP_BYTES, (step) => {
        writeMac(MASTER_KEY, seed, node);
        const key = node.subarray(0, KEY_BYTES);
        if (!isScalar(key)) throw withoutKey();
        const chainCode = node.subarray(KEY_BYTES);
        for (const index of path) {
          writeStep(key, index, step);
          writeMac(chainCode, step, child);
          if (!addToScalar(key, child.subarray(0, KEY_BYTES))) throw withoutKey();
          copySecret(child.subarray(KEY_BYTES), chainCode);
        }
        return copySecret(key, output);
      }),
    ),
  );
}

/** The data of a step: the private key for a hardened one, else the public key; then the index. */
function writeStep(key: Buffer, index: number, step: Buffer): void {
  if (index >= HARDENED) {
    step.writeUInt8(0, 0);
    copySecret(key, step.subarray(1));
  } else {
    writeCompressedPublicKey(key, step.subarray(0, COMPRESSED_BYTES));
  }
  step.writeUInt32BE(index, COMPRESSED_BYTES);
}

/** HMAC-SHA512 (RFC 2104) into `output`, 64 bytes. */
function writeMac(key: Buffer, data: Buffer, output: Buffer): void {
  const mac = createHmac('sha512', key).update(data).digest();
  copySecret(mac, output);
  sodium.sodium_memzero(mac);
  // A MAC of public bytes overwrites what OpenSSL and Node left on the stack and in registers.
  createHmac('sha512', MASTER_KEY).update(MASTER_KEY).digest();
}

function withoutKey(): MalformedSecretError {
  return new MalformedSecretError('its mnemonic has no valid key at this derivation path; use another path');
}
