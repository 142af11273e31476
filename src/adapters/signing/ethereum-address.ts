import { getAddress } from 'ethers/address';
import { keccak256 } from '../node/node-hasher.ts';

/** Uncompressed point as 0x-hex: 04, then x and y of 32 bytes each. */
const UNCOMPRESSED_POINT = /^0x04[0-9A-Fa-f]+$/;
const POINT_LENGTH = 132;
const X_OFFSET = 4;
const Y_OFFSET = 68;

/** Field prime of secp256k1 (SEC 2 §2.4.1). */
const FIELD_PRIME = 2n ** 256n - 2n ** 32n - 977n;

/** An address is the last 20 of 32 hash bytes. */
const ADDRESS_OFFSET = 12;

/**
 * Ethereum address of a secp256k1 public key with EIP-55 checksum
 * (https://eips.ethereum.org/EIPS/eip-55).
 * @param publicKey 0x-hex of the 65-byte uncompressed point
 * @returns null if it is not a point of the curve
 */
export function ethereumAddress(publicKey: string): string | null {
  if (publicKey.length !== POINT_LENGTH || !UNCOMPRESSED_POINT.test(publicKey)) return null;
  const [x, y] = [publicKey.slice(X_OFFSET, Y_OFFSET), publicKey.slice(Y_OFFSET)];
  if (!isOnCurve(BigInt(`0x${x}`), BigInt(`0x${y}`))) return null;
  const hash = keccak256(Buffer.from(x + y, 'hex'));
  return getAddress(`0x${Buffer.from(hash.subarray(ADDRESS_OFFSET)).toString('hex')}`);
}

/** y² = x³ + 7. */
function isOnCurve(x: bigint, y: bigint): boolean {
  return x < FIELD_PRIME && y < FIELD_PRIME && (y * y - x * x * x - 7n) % FIELD_PRIME === 0n;
}
