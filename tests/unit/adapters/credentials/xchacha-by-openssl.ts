import { createCipheriv, createDecipheriv } from 'node:crypto';

/**
 * XChaCha20-Poly1305 by OpenSSL: HChaCha20 subkey (draft-irtf-cfrg-xchacha-03 §2.2), then RFC 8439
 * with the rest of the nonce.
 */
export function openWithOpenssl(key: Buffer, nonce: Buffer, ciphertext: Buffer, associatedData: string): Buffer {
  const block = createCipheriv('chacha20', key, nonce.subarray(0, 16)).update(Buffer.alloc(64));
  const start = Buffer.concat([Buffer.from('expand 32-byte k'), Buffer.alloc(32), nonce.subarray(0, 16)]);
  const subkey = Buffer.alloc(32);
  for (const [index, offset] of [0, 4, 8, 12, 48, 52, 56, 60].entries()) {
    subkey.writeUInt32LE((block.readUInt32LE(offset) - start.readUInt32LE(offset)) >>> 0, 4 * index);
  }
  const shortNonce = Buffer.concat([Buffer.alloc(4), nonce.subarray(16)]);
  const decipher = createDecipheriv('chacha20-poly1305', subkey, shortNonce, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(associatedData), { plaintextLength: ciphertext.length - 16 });
  decipher.setAuthTag(ciphertext.subarray(-16));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]);
}
