/** Added to the index of a hardened child key (BIP-32, "Extended keys"). */
export const HARDENED = 2 ** 31;

const MAX_DEPTH = 10;
const PATH_PATTERN = /^m(?:\/(?:0|[1-9]\d{0,9})['h]?)*$/;

/** What a derivation path must be, as a clause. */
export const DERIVATION_PATH_MESSAGE = `must be m, then up to ${MAX_DEPTH} steps of / and an index below 2147483648, with ' or h after a hardened one, without spaces, such as m/44'/60'/0'/0/0`;

/**
 * Reads a BIP-32 path from the master key, `m/44'/60'/0'/0/0`: decimal indices below 2^31, hardened
 * with `'` or `h`, at most 10 steps. `m` is the master key itself.
 * @returns the index of each step, with {@link HARDENED} added for hardened ones; undefined for
 * other texts
 */
export function parseDerivationPath(text: string): readonly number[] | undefined {
  if (!PATH_PATTERN.test(text)) return undefined;
  const steps = text.split('/').slice(1);
  if (steps.length > MAX_DEPTH) return undefined;
  const indices = steps.map((step) => Number.parseInt(step, 10));
  if (indices.some((index) => index >= HARDENED)) return undefined;
  return indices.map((index, step) => (/\d$/.test(steps[step] ?? '') ? index : index + HARDENED));
}
