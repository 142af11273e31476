import { toAccountName } from '../../../domain/model/account.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { CallContext, SignRequest } from '../../../domain/model/sign-request.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { throttleFaults } from './throttle-log.ts';

/** Accounts named in a line. */
const MAX_NAMED = 3;

/** A refused request, or a refused item of a batch. */
interface Refused extends Pick<SignRequest, 'platformId' | 'accountId'> {
  readonly refusal: Refusal;
}

interface Example {
  /** `platformId/accountId`. */
  readonly accounts: Set<string>;
  readonly facts: { readonly [name: string]: unknown };
}

/**
 * Logs the causes of failures, which responses omit: one line a minute for one cause, with count,
 * accounts and the latest request.
 */
export class FailureLog {
  readonly #occurred: (fault: string, example: Example, times: number) => void;

  /**
   * @param message of each line
   * @param countName a second name of the count
   */
  constructor(log: ServiceLog, message: string, countName = 'count') {
    this.#occurred = throttleFaults<Example>(
      (count, { accounts, facts }) => {
        const named = { accountCount: accounts.size, accounts: [...accounts].slice(0, MAX_NAMED) };
        log.error(message, { count, [countName]: count, ...named, ...facts });
      },
      { merge: mergeExamples },
    );
  }

  /** Logs the failures of one request. Ignores refusals without a cause: responses explain them. */
  failed(refused: readonly Refused[], { correlationId }: Pick<CallContext, 'correlationId'>): void {
    const faults = new Map<string, Example & { times: number }>();
    for (const { platformId, accountId, refusal } of refused) {
      const { code, cause } = refusal;
      if (cause === undefined) continue;
      const fault = `${code} ${describeCause(cause)}`;
      const facts = { errorCode: code, correlationId, cause };
      const example = faults.get(fault) ?? { accounts: new Set<string>(), facts, times: 0 };
      // The account exists: others are refused without a cause.
      example.accounts.add(toAccountName({ platformId, accountId }));
      example.times += 1;
      faults.set(fault, example);
    }
    for (const [fault, { times, ...example }] of faults) this.#occurred(fault, example, times);
  }
}

function mergeExamples({ accounts }: Example, latest: Example): Example {
  for (const account of latest.accounts) accounts.add(account);
  return { accounts, facts: latest.facts };
}

/** Identifies a cause. Not for the log: its message may contain anything. */
export function describeCause(cause: unknown): string {
  return cause instanceof Error ? `${cause.name} ${cause.message}` : typeof cause;
}
