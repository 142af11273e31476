import { computeHashOnElements, poseidonHashMany } from '@scure/starknet';

/*
 * ECDSA over the Stark curve with plain Jacobian arithmetic (SEC 1 §2.2, §4.1.4), which shares no
 * code with the service. Parameters: docs.starkware.co/starkex/crypto/stark-curve.html.
 */

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
/** The group order. */
export const STARK_ORDER = 3618502788666131213697322783095070105526743751716087489154079457884512865583n;
const BETA = 3141592653589793238462643383279502884197169399375105820974944592307816406665n;
const GENERATOR: Affine = [
  874739451078007766457464989774322083649278607533249481151382481072868806602n,
  152666792071518830868575557812948353041420400780739481342941381225525861407n,
];

/** x and y. */
type Affine = readonly [bigint, bigint];

function mod(number: bigint, modulus: bigint): bigint {
  return ((number % modulus) + modulus) % modulus;
}

/** Extended Euclid. */
function invert(number: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [mod(number, modulus), modulus, 1n, 0n];
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return mod(x, modulus);
}

/** (x : y : z) stands for x/z², y/z³; z is 0 for the neutral element. */
type Jacobian = readonly [bigint, bigint, bigint];

const NEUTRAL: Jacobian = [1n, 1n, 0n];

function double([x, y, z]: Jacobian): Jacobian {
  const s = mod(4n * x * y * y, PRIME);
  const m = mod(3n * x * x + z ** 4n, PRIME);
  const doubled = mod(m * m - 2n * s, PRIME);
  return [doubled, mod(m * (s - doubled) - 8n * y ** 4n, PRIME), mod(2n * y * z, PRIME)];
}

function add(left: Jacobian, right: Jacobian): Jacobian {
  if (left[2] === 0n) return right;
  if (right[2] === 0n) return left;
  const [x1, y1, z1] = left;
  const [x2, y2, z2] = right;
  const [u, s] = [mod(x1 * z2 * z2, PRIME), mod(y1 * z2 ** 3n, PRIME)];
  const h = mod(x2 * z1 * z1 - u, PRIME);
  const r = mod(y2 * z1 ** 3n - s, PRIME);
  if (h === 0n) return r === 0n ? double(left) : NEUTRAL;
  const [h2, h3] = [mod(h * h, PRIME), mod(h ** 3n, PRIME)];
  const x = mod(r * r - h3 - 2n * u * h2, PRIME);
  return [x, mod(r * (u * h2 - x) - s * h3, PRIME), mod(h * z1 * z2, PRIME)];
}

function multiply(point: Affine, scalar: bigint): Jacobian {
  let [result, power]: [Jacobian, Jacobian] = [NEUTRAL, [...point, 1n]];
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = add(result, power);
    power = double(power);
  }
  return result;
}

/** Undefined for the neutral element. */
function xOf([x, , z]: Jacobian): bigint | undefined {
  return z === 0n ? undefined : mod(x * invert(z, PRIME) ** 2n, PRIME);
}

/** The x coordinate of a public key. */
export function starkPublicKey(privateKey: bigint): bigint {
  return xOf(multiply(GENERATOR, privateKey)) ?? 0n;
}

/** Verifies r‖s over a hash with 0x-hex of the x coordinate: either point with it will do. */
export function isStarkSignatureOfHash(publicKey: string, hash: bigint, signature: Buffer): boolean {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => BigInt(`0x${half.toString('hex')}`));
  const x = BigInt(publicKey);
  if (r === undefined || s === undefined || r === 0n || s === 0n || r >= STARK_ORDER || s >= STARK_ORDER) return false;
  const w = invert(s, STARK_ORDER);
  const y = squareRoot(x ** 3n + x + BETA);
  if (y === undefined) return false;
  const own = multiply(GENERATOR, mod(hash * w, STARK_ORDER));
  const [otherX, otherY, otherZ] = multiply([x, y], mod(r * w, STARK_ORDER));
  return [otherY, PRIME - otherY].some((one) => {
    const sum = xOf(add(own, [otherX, one, otherZ]));
    return sum !== undefined && mod(sum, STARK_ORDER) === r;
  });
}

/** Verifies a signature over the 129 bytes that the service signs. */
export function isStarkSignature(publicKey: string, message: Uint8Array, signature: Buffer): boolean {
  return isStarkSignatureOfHash(publicKey, starkMessageHash(message), signature);
}

/** SNIP-12's hash of the 129 bytes that the service signs. */
export function starkMessageHash(message: Uint8Array): bigint {
  const felts = [0, 1, 2, 3].map((index) =>
    BigInt(
      `0x${Buffer.from(message.subarray(1 + 32 * index))
        .subarray(0, 32)
        .toString('hex')}`,
    ),
  );
  return message[0] === 0 ? BigInt(String(computeHashOnElements(felts))) : poseidonHashMany(felts);
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base, PRIME)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % PRIME;
    square = (square * square) % PRIME;
  }
  return result;
}

/** Tonelli and Shanks: p − 1 = 2^192 · q; 3 is no square. Undefined if there is none. */
function squareRoot(number: bigint): bigint | undefined {
  const q = (PRIME - 1n) >> 192n;
  const value = mod(number, PRIME);
  if (power(value, (PRIME - 1n) / 2n) !== 1n) return undefined;
  let [order, c, t, root] = [192n, power(3n, q), power(value, q), power(value, (q + 1n) / 2n)];
  while (t !== 1n) {
    let least = 0n;
    for (let square = t; square !== 1n; square = (square * square) % PRIME) least += 1n;
    const b = power(c, 2n ** (order - least - 1n));
    [order, c] = [least, (b * b) % PRIME];
    [t, root] = [(t * c) % PRIME, (root * b) % PRIME];
  }
  return root;
}
