import type { Response } from 'express';
import type { ShownEvent } from '../../../domain/model/audit-entry.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { callContextOf } from './callers/call-context.ts';
import { answerRefusal } from './envelope.ts';

/** Answers refusals to show something. That a caller has no permission for it goes on the audit record; that what it asked for is not there, or that it asked in a wrong way, does not. */
export class RefusedQuestions {
  readonly #audit: Pick<AuditEntryService, 'recordForbidden'>;
  readonly #log: ServiceLog;

  constructor(audit: Pick<AuditEntryService, 'recordForbidden'>, log: ServiceLog) {
    this.#audit = audit;
    this.#log = log;
  }

  /** Records, then answers. Nothing was shown, so that a failure to write the record is logged and the answer stays. */
  async answer(response: Response, event: ShownEvent, refusal: Refusal): Promise<void> {
    if (refusal.code === 'FORBIDDEN') await this.#record(response, event, refusal);
    answerRefusal(response, refusal);
  }

  async #record(response: Response, event: ShownEvent, { details }: Refusal): Promise<void> {
    const context = callContextOf(response);
    const ids = { platformId: textOf(details['platformId']), accountId: textOf(details['accountId']) };
    const recorded = await this.#audit.recordForbidden(event, ids, context);
    if (recorded.ok) return;
    const { correlationId } = context;
    const { cause } = recorded.refusal;
    this.#log.error('The audit record of a refused question could not be written.', { event, correlationId, cause });
  }
}

function textOf(detail: unknown): string | null {
  return typeof detail === 'string' ? detail : null;
}
