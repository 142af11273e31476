import { type Algorithm, isSecp256k1Algorithm } from '../../../domain/model/algorithm.ts';
import type { Platform } from '../../../domain/model/platform.ts';

/**
 * Whether a platform's encoding would write an account's Ethereum signatures as hex without `0x`.
 * It is refused: files of release 1.0.0-rc.1 mean hex with the prefix by it, and signatures must
 * not change their form unnoticed.
 */
export function isBareEthereumHex({ encoding }: Pick<Platform, 'encoding'>, algorithm: Algorithm): boolean {
  return encoding === 'hex' && isSecp256k1Algorithm(algorithm);
}

/** Why the encoding `hex` is not for these algorithms, and what to write instead. */
export function bareHexMessage(platformId: string, algorithms: readonly Algorithm[]): string {
  return (
    `signatures of ${algorithms.join(', ')} have a 0x prefix, and the encoding hex has none; ` +
    `write "encoding": "0x-hex" for platform ${platformId}, or leave encoding out`
  );
}
