import type { Response } from 'express';
import type { RequestedEvent } from '../../../domain/model/audit-entry.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { callContextOf } from './callers/call-context.ts';
import { answerRefusal } from './envelope.ts';
import type { HttpRefusal } from './http-refusal.ts';

/** Answers requests to sign, to verify or to reload that are refused before any account is looked at. They go on the audit record too. */
export class MalformedSigningRequests {
  readonly #audit: Pick<AuditEntryService, 'recordMalformedRequest'>;
  readonly #log: ServiceLog;
  readonly #event: RequestedEvent;

  /** @param event what the requests ask for */
  constructor(audit: Pick<AuditEntryService, 'recordMalformedRequest'>, log: ServiceLog, event: RequestedEvent) {
    this.#audit = audit;
    this.#event = event;
    this.#log = log;
  }

  /** Records, then answers. No signature depends on this record, so a failure to write it is logged and the answer stays. */
  async refuse(response: Response, refusal: HttpRefusal): Promise<void> {
    const context = callContextOf(response);
    const recorded = await this.#audit.recordMalformedRequest(this.#event, refusal.code, context);
    if (!recorded.ok) {
      this.#log.error('The audit record of a malformed request could not be written.', {
        event: this.#event,
        errorCode: refusal.code,
        correlationId: context.correlationId,
        cause: recorded.refusal.cause,
      });
    }
    answerRefusal(response, refusal);
  }
}
