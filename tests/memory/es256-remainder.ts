import type { Trace } from '../process-memory/search.ts';
import type { KnownAccount } from './accounts.ts';

/**
 * Traces other than the one that decision 24 documents: the end of one es256 key in a freed buffer
 * of OpenSSL's parser, whose start the allocator has overwritten.
 */
export function withoutEs256Remainder(
  traces: readonly Trace[],
  accounts: readonly Pick<KnownAccount, 'algorithm' | 'name'>[],
): readonly Trace[] {
  const owners = new Set(accounts.filter(({ algorithm }) => algorithm === 'es256').map(({ name }) => name));
  const isRemainder = ({ secret, form, part, place }: Trace) =>
    owners.has(secret.owner) &&
    secret.name === 'private key' &&
    form === 'raw' &&
    part === 1 &&
    place === 'rw-p [heap]';
  const first = traces.find(isRemainder);
  return traces.filter((trace) => trace !== first);
}
