import { toAccountName } from '../../../domain/model/account.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { CallContext, SignRequest } from '../../../domain/model/sign-request.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { describeCause } from '../middleware/error-handler.ts';

/** A refused request, or a refused item of a batch. */
interface RefusedItem extends Pick<SignRequest, 'platformId' | 'accountId'> {
  readonly refusal: Refusal;
}

/**
 * Logs the causes of a request's failures, which responses omit. Ignores refusals without a cause:
 * responses explain them.
 * @param message of each line
 * @param countAs a second name of the count
 */
export function logFailures(
  log: ServiceLog,
  message: string,
  refused: readonly RefusedItem[],
  { correlationId }: Pick<CallContext, 'correlationId'>,
  countAs?: string,
): void {
  const failures = new Map<string, { readonly facts: object; readonly accounts: string[] }>();
  for (const { platformId, accountId, refusal } of refused) {
    const { code, cause } = refusal;
    if (cause === undefined) continue;
    const key = `${code} ${describeCause(cause)}`;
    const failure = failures.get(key) ?? { facts: { errorCode: code, correlationId, cause }, accounts: [] };
    // The account exists: others are refused without a cause.
    failure.accounts.push(toAccountName({ platformId, accountId }));
    failures.set(key, failure);
  }
  for (const [cause, { facts, accounts }] of failures) {
    log.error(message, { ...facts }, { topic: message, cause, countAs, accounts });
  }
}
