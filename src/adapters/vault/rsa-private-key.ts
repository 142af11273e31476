import { RSA_MODULUS_BITS } from '../../domain/model/account.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';

/** Views of an RSA private key, big-endian without leading zeros. */
export interface RsaPrivateKey {
  /** n, 256 to 512 bytes. */
  readonly modulus: Buffer;
  /** e, 3 to 8 bytes. */
  readonly publicExponent: Buffer;
  /** d, at most as long as the modulus. */
  readonly privateExponent: Buffer;
  /** p and q. */
  readonly primes: readonly [Buffer, Buffer];
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const LONG_FORM = 0x80;
const ONE_LENGTH_BYTE = 0x81;
const TWO_LENGTH_BYTES = 0x82;

/**
 * An odd exponent above 2^16 (NIST SP 800-56B Rev. 2 §6.2), of the 64 bits that OpenSSL verifies.
 */
const EXPONENT_BYTES = { min: 3, max: 8 };
/** Exponents and coefficient of the Chinese remainder theorem. */
const UNUSED_NUMBERS = 3;

/**
 * Reads RSAPrivateKey of two primes (RFC 8017 §A.1.2) in DER, as views of `der`.
 * @throws InvalidPrivateKeyError on other input, trailing bytes, another modulus than 2048 to 4096
 * bits, or a public exponent that is even, below 65537 or of more than 64 bits
 */
export function readRsaPrivateKey(der: Buffer): RsaPrivateKey {
  const content = readElement(der, 0, SEQUENCE);
  if (content.end !== der.length) throw malformed();
  const version = readElement(der, content.start, INTEGER);
  if (version.end - version.start !== 1 || der[version.start] !== 0) {
    throw unsuitable('it is not an RSA key of two primes');
  }
  let position = version.end;
  const readNumber = (): Buffer => {
    const { start, end } = readElement(der, position, INTEGER);
    position = end;
    return positive(der.subarray(start, end));
  };
  const [modulus, publicExponent, privateExponent] = [readNumber(), readNumber(), readNumber()];
  const primes = [readNumber(), readNumber()] as const;
  for (let unused = 0; unused < UNUSED_NUMBERS; unused += 1) readNumber();
  if (position !== der.length) throw malformed();
  checkSizes(modulus, publicExponent);
  if (privateExponent.length > modulus.length) throw mixedNumbers();
  return { modulus, publicExponent, privateExponent, primes };
}

/**
 * Whether an RSAPrivateKey is suitable, and its primes have the modulus as product.
 * @throws InvalidPrivateKeyError otherwise
 */
export function validateRsaPrivateKey(der: Buffer): void {
  const { modulus, primes } = readRsaPrivateKey(der);
  if (!isProduct(primes, modulus)) throw mixedNumbers();
}

/** Bounds of the content of a DER element (X.690 §10.1: shortest length, here up to 65535). */
function readElement(der: Buffer, position: number, tag: number): { readonly start: number; readonly end: number } {
  const [found, first = 0, second = 0, third = 0] = der.subarray(position, position + 4);
  if (found !== tag) throw malformed();
  let [start, length] = [position + 2, first];
  if (first === ONE_LENGTH_BYTE && second >= LONG_FORM) [start, length] = [position + 3, second];
  else if (first === TWO_LENGTH_BYTES && second > 0) [start, length] = [position + 4, second * 256 + third];
  else if (first >= LONG_FORM) throw malformed();
  if (start + length > der.length) throw malformed();
  return { start, end: start + length };
}

/** An integer above zero, without its sign byte; one that is not minimal is malformed (§8.3.2). */
function positive(content: Buffer): Buffer {
  const [first = 0, second = 0] = content;
  if (content.length === 0 || first >= 0x80) throw malformed();
  if (first !== 0) return content;
  if (content.length === 1 || second < 0x80) throw malformed();
  return content.subarray(1);
}

function checkSizes(modulus: Buffer, exponent: Buffer): void {
  const bits = 8 * modulus.length + 24 - Math.clz32(modulus.readUInt8(0));
  const { min, max } = RSA_MODULUS_BITS;
  if (bits < min || bits > max) {
    throw unsuitable(`it is an RSA key of ${bits} bits; ${min} to ${max} are required`);
  }
  const isOdd = exponent.readUInt8(exponent.length - 1) % 2 === 1;
  if (!isOdd || exponent.length < EXPONENT_BYTES.min || exponent.length > EXPONENT_BYTES.max) {
    throw unsuitable('its public exponent is unsuitable; use an RSA key with exponent 65537');
  }
}

/**
 * Column by column, so that no product is written, in integers that V8 keeps out of its heap: a sum
 * is below 2^26.
 */
function isProduct([left, right]: readonly [Buffer, Buffer], product: Buffer): boolean {
  const spare = left.length + right.length - product.length;
  if (spare !== 0 && spare !== 1) return false;
  let carry = 0;
  let isEqual = true;
  for (let column = 0; column < product.length; column += 1) {
    const last = Math.min(column, left.length - 1);
    for (let index = Math.max(0, column - right.length + 1); index <= last; index += 1) {
      carry += left.readUInt8(left.length - 1 - index) * right.readUInt8(right.length - 1 - column + index);
    }
    if ((carry & 0xff) !== product.readUInt8(product.length - 1 - column)) isEqual = false;
    carry >>= 8;
  }
  return isEqual && carry === 0;
}

function malformed(): InvalidPrivateKeyError {
  return unsuitable('it is not an RSA private key in DER; export the key again');
}

function mixedNumbers(): InvalidPrivateKeyError {
  return unsuitable('the numbers of its RSA key do not belong together; export the key again');
}

function unsuitable(reason: string): InvalidPrivateKeyError {
  return new InvalidPrivateKeyError(`The key is unsuitable: ${reason}.`);
}
