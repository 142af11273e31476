import type { Response } from 'express';
import type { ShownEvent } from '../../../domain/model/audit-entry.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import { callContextOf } from './callers/call-context.ts';
import { answerRefusal } from './envelope.ts';

/** Answers refusals to show something. That a caller has no permission for it goes on the audit record; that what it asked for is not there, or that it asked in a wrong way, does not. */
export class RefusedQuestions {
  readonly #audit: Pick<AuditEntryService, 'recordForbidden'>;

  constructor(audit: Pick<AuditEntryService, 'recordForbidden'>) {
    this.#audit = audit;
  }

  /**
   * Records, then responds. Nothing was shown, so the response is the same where the record could
   * not be written.
   */
  async answer(response: Response, event: ShownEvent, refusal: Refusal): Promise<void> {
    if (refusal.code === 'FORBIDDEN') await this.#record(response, event, refusal);
    answerRefusal(response, refusal);
  }

  async #record(response: Response, event: ShownEvent, { details }: Refusal): Promise<void> {
    const ids = { platformId: textOf(details['platformId']), accountId: textOf(details['accountId']) };
    await this.#audit.recordForbidden(event, ids, callContextOf(response));
  }
}

function textOf(detail: unknown): string | null {
  return typeof detail === 'string' ? detail : null;
}
