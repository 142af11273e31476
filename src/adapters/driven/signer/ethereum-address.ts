import { keccak256 } from './keccak-256.ts';

/** An uncompressed point of 65 bytes, x and y of 32 each behind the byte 04, as 0x-hex. */
const UNCOMPRESSED_POINT = /^0x04[0-9A-Fa-f]+$/;
const POINT_LENGTH = 132;
const X_OFFSET = 4;
const Y_OFFSET = 68;

/** The field prime of secp256k1 (SEC 2 §2.4.1). */
const FIELD_PRIME = 2n ** 256n - 2n ** 32n - 977n;

/** An address is the last 20 of 32 bytes. */
const ADDRESS_OFFSET = 12;

/**
 * From this hex digit of the hash on, the digit of the address at its place is written in upper
 * case.
 */
const FIRST_UPPER = '8';

/**
 * Ethereum address of a secp256k1 public key, with the checksum of EIP-55
 * (https://eips.ethereum.org/EIPS/eip-55). Some microseconds of work.
 * @param publicKey 0x-hex of the 65-byte uncompressed point
 * @returns null for a text that is no point of the curve, which a configuration may hold until it
 * is loaded
 */
export function ethereumAddress(publicKey: string): string | null {
  if (publicKey.length !== POINT_LENGTH || !UNCOMPRESSED_POINT.test(publicKey)) return null;
  const [x, y] = [publicKey.slice(X_OFFSET, Y_OFFSET), publicKey.slice(Y_OFFSET)];
  if (!isOnCurve(BigInt(`0x${x}`), BigInt(`0x${y}`))) return null;
  const hash = keccak256(Buffer.from(x + y, 'hex'));
  const digits = Buffer.from(hash.subarray(ADDRESS_OFFSET)).toString('hex');
  const checksum = Buffer.from(keccak256(Buffer.from(digits, 'latin1'))).toString('hex');
  return `0x${Array.from(digits, (digit, at) => (String(checksum[at]) >= FIRST_UPPER ? digit.toUpperCase() : digit)).join('')}`;
}

/** y² = x³ + 7. */
function isOnCurve(x: bigint, y: bigint): boolean {
  return x < FIELD_PRIME && y < FIELD_PRIME && (y * y - x * x * x - 7n) % FIELD_PRIME === 0n;
}
