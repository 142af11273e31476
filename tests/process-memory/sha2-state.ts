/** Parameters of the functions (FIPS 180-4 §4.1.2, §4.1.3, §5.3.3 to §5.3.5, §6.2.2, §6.4.2). */
interface Sha2 {
  readonly wordBits: number;
  readonly rounds: number;
  /** Index of the first prime whose square root starts the state. */
  readonly start: number;
  /** Rotations of Σ0 and Σ1. */
  readonly sums: readonly [Three, Three];
  /** σ0 and σ1: two rotations and a shift. */
  readonly schedule: readonly [Three, Three];
}

type Three = readonly [number, number, number];

const SHA512 = {
  wordBits: 64,
  rounds: 80,
  start: 0,
  sums: [
    [28, 34, 39],
    [14, 18, 41],
  ],
  schedule: [
    [1, 8, 7],
    [19, 61, 6],
  ],
} as const satisfies Sha2;

const FUNCTIONS = {
  sha256: {
    wordBits: 32,
    rounds: 64,
    start: 0,
    sums: [
      [2, 13, 22],
      [6, 11, 25],
    ],
    schedule: [
      [7, 18, 3],
      [17, 19, 10],
    ],
  },
  sha384: { ...SHA512, start: 8 },
  sha512: SHA512,
} as const satisfies { readonly [name: string]: Sha2 };

/** Known functions. */
export type Sha2Name = keyof typeof FUNCTIONS;

const STATE_WORDS = 8;
const BLOCK_WORDS = 16;

/**
 * The internal state of SHA-256, SHA-384 or SHA-512 after whole blocks, big-endian words. Libraries
 * keep it between blocks; after HMAC's first block it is equivalent to the key.
 */
export function sha2State(name: Sha2Name, blocks: Buffer): Buffer {
  const { wordBits, start: first } = FUNCTIONS[name];
  const words = wordsOf(blocks, wordBits / 8);
  let state = PRIMES.slice(first, first + STATE_WORDS).map((prime) => fractionOfRoot(prime, 2n, wordBits));
  for (let start = 0; start < words.length; start += BLOCK_WORDS) {
    state = compress(FUNCTIONS[name], state, words.slice(start, start + BLOCK_WORDS));
  }
  return Buffer.from(state.map((word) => word.toString(16).padStart(wordBits / 4, '0')).join(''), 'hex');
}

function compress({ wordBits, rounds, sums, schedule }: Sha2, state: readonly bigint[], block: readonly bigint[]) {
  const word = (number: bigint) => BigInt.asUintN(wordBits, number);
  const rotate = (x: bigint, by: number) => word((x >> BigInt(by)) | (x << BigInt(wordBits - by)));
  const sum = (x: bigint, [r, s, t]: Three) => rotate(x, r) ^ rotate(x, s) ^ rotate(x, t);
  const mix = (x: bigint, [r, s, shift]: Three) => rotate(x, r) ^ rotate(x, s) ^ (x >> BigInt(shift));
  const expanded = [...block];
  for (let t = BLOCK_WORDS; t < rounds; t += 1) {
    const [w2 = 0n, w7 = 0n, w15 = 0n, w16 = 0n] = [2, 7, 15, 16].map((back) => expanded[t - back]);
    expanded.push(word(mix(w2, schedule[1]) + w7 + mix(w15, schedule[0]) + w16));
  }
  let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
  for (const [t, w] of expanded.entries()) {
    const constant = fractionOfRoot(PRIMES[t] ?? 0n, 3n, wordBits);
    const first = h + sum(e, sums[1]) + ((e & f) ^ (~e & g)) + constant + w;
    const second = sum(a, sums[0]) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [word(first + second), a, b, c, word(d + first), e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((value, index) => word(value + (state[index] ?? 0n)));
}

/** Source of the constants. */
const PRIMES = primesBelow(410);

function primesBelow(end: number): readonly bigint[] {
  const numbers = Array.from({ length: end - 2 }, (_, index) => index + 2);
  return numbers.filter((number) => numbers.every((other) => other >= number || number % other !== 0)).map(BigInt);
}

/** First `bits` fractional bits of the square or cube root. */
function fractionOfRoot(number: bigint, degree: bigint, bits: number): bigint {
  const radicand = number << (degree * BigInt(bits));
  let root = 0n;
  for (let bit = 1n << BigInt(bits + 5); bit > 0n; bit >>= 1n) {
    if ((root | bit) ** degree <= radicand) root |= bit;
  }
  return BigInt.asUintN(bits, root);
}

function wordsOf(bytes: Buffer, size: number): readonly bigint[] {
  return Array.from({ length: bytes.length / size }, (_, index) =>
    BigInt(`0x${bytes.toString('hex', index * size, (index + 1) * size)}`),
  );
}
