import type { Counter } from 'prom-client';
import { CallerNames } from '../../domain/model/caller-names.ts';
import type { Permissions } from '../../domain/model/permissions.ts';
import { REFUSAL_CODES, type Refusal } from '../../domain/model/refusal.ts';

/**
 * Signatures and errors by caller: one series per listed principal, and one for each of its codes.
 */
export class CallerMetrics {
  readonly #signatures: Counter<'caller'>;
  readonly #errors: Counter<'caller' | 'code'>;
  #names = new CallerNames([]);

  constructor(signatures: Counter<'caller'>, errors: Counter<'caller' | 'code'>) {
    this.#signatures = signatures;
    this.#errors = errors;
    this.#expectAll();
  }

  /** Counts an ended attempt to sign. */
  count(principal: string | null, refusal: Refusal | null): void {
    const caller = this.#names.nameOf(principal);
    if (refusal === null) this.#signatures.inc({ caller });
    else this.#errors.inc({ caller, code: refusal.code });
  }

  /** Drops counts of callers that are no longer listed. */
  configure({ entries }: Pick<Permissions, 'entries'>): void {
    const names = new CallerNames((entries ?? []).flatMap(({ principals }) => principals));
    for (const caller of this.#names.all) if (!names.all.has(caller)) this.#forget(caller);
    this.#names = names;
    this.#expectAll();
  }

  /** From 0: `increase()` ignores the first value of a new series. */
  #expectAll(): void {
    for (const caller of this.#names.all) this.#signatures.inc({ caller }, 0);
  }

  /** prom-client removes series one by one, by their labels. */
  #forget(caller: string): void {
    this.#signatures.remove({ caller });
    for (const code of REFUSAL_CODES) this.#errors.remove({ caller, code });
  }
}
