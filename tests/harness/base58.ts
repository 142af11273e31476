import { decodeBase58, encodeBase58, toBeArray } from 'ethers/utils';

/** Base58 by ethers, of bytes with leading zeros. */
export const bs58 = {
  encode(bytes: Uint8Array): string {
    return bytes.length === 0 ? '' : encodeBase58(bytes);
  },

  /** @throws Error for another character */
  decode(text: string): Uint8Array {
    const zeros = /^1*/.exec(text)?.[0].length ?? 0;
    const number = decodeBase58(text);
    return Uint8Array.from([...new Uint8Array(zeros), ...(number === 0n ? [] : toBeArray(number))]);
  },

  /** Undefined for another character. */
  decodeUnsafe(text: string): Uint8Array | undefined {
    try {
      return bs58.decode(text);
    } catch {
      return undefined;
    }
  },
};
