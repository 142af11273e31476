import { computeAddress } from 'ethers/transaction';

/** 0x-hex of an uncompressed point. ethers would take 32 bytes for a private key: no other form gets there. */
const UNCOMPRESSED_POINT = /^0x04[0-9A-Fa-f]{128}$/;

/**
 * Ethereum address of a secp256k1 public key, with the checksum of EIP-55; null for a text that is no such key, which configuration may hold until it
 * is loaded.
 *
 * @param publicKey 0x-hex of the 65-byte uncompressed point
 */
export function ethereumAddress(publicKey: string): string | null {
  if (!UNCOMPRESSED_POINT.test(publicKey)) return null;
  try {
    return computeAddress(publicKey);
  } catch {
    // The point is not on the curve.
    return null;
  }
}
