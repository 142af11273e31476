import { EMPTY_CHAIN, signRecord } from '../../src/adapters/audit/record/signed-record.ts';
import { type AuditRecord, NO_REQUEST } from '../../src/domain/model/audit-entry.ts';
import { chainEntry, createAuditKey } from '../../tests/doubles/audit-chain.ts';

/** Private half of docs/examples/audit.key.pub: the seed of test 1 in RFC 8032 §7.1. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');

/**
 * Numbers, chains and signs the records of docs/examples/audit.jsonl. The other fields are edited
 * in that file.
 * @param file one record per line; `seq`, `prevHash` and `sig` are replaced
 */
export function withChain(file: string): string {
  const key = createAuditKey(SEED);
  let head = EMPTY_CHAIN;
  const lines = file.trimEnd().split('\n');
  return lines
    .map((line) => {
      const signed = signRecord(chainEntry({ ...NO_REQUEST, ...(JSON.parse(line) as AuditRecord) }, head), key);
      head = signed.head;
      return `${signed.line}\n`;
    })
    .join('');
}

/** A page with the record of a signature from `file` as its block of JSON Lines. */
export function withSignRecord(page: string, file: string): string {
  const line = file.split('\n').find((text) => text.includes('"event":"sign"'));
  return page.replace(/(?<=^```jsonl\n).*$/m, () => line ?? '');
}
