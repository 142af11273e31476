import type { AuditFault } from '../../../domain/model/audit-verdict.ts';
import type { ChainReading } from './chain-reading.ts';

/**
 * What is wrong with the first chain of which no signature, in the files or from elsewhere, covers
 * a record: that it names a trusted key proves nothing, since anybody can write that name.
 */
export function findUnsigned(chains: readonly ChainReading[]): AuditFault | null {
  const unsigned = chains.find((chain) => !chain.isSigned);
  if (unsigned === undefined) return null;
  const { lastFile, firstSeq, lastSeq } = unsigned;
  const records = lastSeq - firstSeq + 1;
  const [counted, them] = records === 1 ? ['1 record', 'it'] : [`${records} records`, 'them'];
  return {
    file: lastFile.file,
    line: lastFile.lines,
    message:
      `ends a chain of ${counted} without a signature: whoever can write the file could have written ${them}. ` +
      'A service signs every record before it acknowledges it',
  };
}
