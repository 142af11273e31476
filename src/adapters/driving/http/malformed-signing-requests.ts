import type { Response } from 'express';
import type { RequestedEvent } from '../../../domain/model/audit-entry.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import { callContextOf } from './callers/call-context.ts';
import { answerRefusal, decideAnswer } from './envelope.ts';
import type { HttpRefusal } from './http-refusal.ts';

/** Answers requests to sign, to verify or to reload that are refused before any account is looked at. They go on the audit record too. */
export class MalformedSigningRequests {
  readonly #audit: Pick<AuditEntryService, 'recordMalformedRequest'>;
  readonly #event: RequestedEvent;

  /** @param event what the requests ask for */
  constructor(audit: Pick<AuditEntryService, 'recordMalformedRequest'>, event: RequestedEvent) {
    this.#audit = audit;
    this.#event = event;
  }

  /**
   * Records, then responds. No signature depends on this record, so the response is the same where
   * it could not be written.
   */
  async refuse(response: Response, refusal: HttpRefusal): Promise<void> {
    decideAnswer(response);
    await this.#audit.recordMalformedRequest(this.#event, refusal.code, callContextOf(response));
    answerRefusal(response, refusal);
  }
}
