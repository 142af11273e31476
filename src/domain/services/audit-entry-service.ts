import type { AuditSink } from '../../ports/audit-sink.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import {
  type AuditEntry,
  type AuditEvent,
  type AuditOutcome,
  NO_REQUEST,
  type RequestedEvent,
  type ShownEvent,
} from '../model/audit-entry.ts';
import type { JsonObject } from '../model/json.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { auditUnavailable, type Refusal } from '../model/refusal.ts';
import type { ReloadTrigger } from '../model/reload-note.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import { timeText } from '../model/time-text.ts';
import type { VerifyRequest } from '../model/verify-request.ts';
import { maskData } from '../payload/mask-data.ts';
import { type Attempt, auditOutcomeOf, type SigningAttempt, type VerificationAttempt } from './attempt.ts';
import { AuditFaultLog } from './audit-fault-log.ts';

/** What an attempt is recorded with beside the request and its result. */
export interface SigningCircumstances {
  readonly context: CallContext;
  /** The caller's requestId within a batch, else null. */
  readonly batchRequestId: string | null;
  /** When the attempt began, on the monotonic clock. */
  readonly startedAt: number;
}

/** What every record that is durable gives. */
const RECORDED: Outcome<null> = accepted(null);

/** Writes the audit record: what is recorded, masked, and that nothing is released before it is durable. */
export class AuditEntryService {
  readonly #sink: AuditSink;
  readonly #hasher: Hasher;
  readonly #clock: Clock;
  readonly #instanceId: string;
  readonly #faults: AuditFaultLog;
  readonly #metrics: Counting;

  /**
   * @param log gets why records can't be written, so that no caller of this service has to log it
   */
  constructor(
    sink: AuditSink,
    hasher: Hasher,
    clock: Clock,
    instanceId: string,
    log: ServiceLog,
    metrics: Counting = NO_METRICS,
  ) {
    this.#sink = sink;
    this.#hasher = hasher;
    this.#clock = clock;
    this.#instanceId = instanceId;
    this.#faults = new AuditFaultLog(log, clock);
    this.#metrics = metrics;
  }

  /** Whether records can be written at the moment. */
  get available(): boolean {
    return this.#sink.available;
  }

  /** Records one signing attempt. Accepted only once the record is durable; otherwise nothing may be released. */
  recordAttempt(
    request: SignRequest,
    attempt: SigningAttempt,
    circumstances: SigningCircumstances,
  ): Promise<Outcome<null>> {
    const { outcome, platform } = attempt;
    const signatureDigest = outcome.ok ? this.#hasher.sha256(outcome.value.signature) : null;
    const data = platform === undefined ? null : maskData(platform, request.data);
    return this.#append(this.#attemptEntry('sign', request, attempt, circumstances, signatureDigest, data));
  }

  /** Records one verification. Accepted only once the record is durable; otherwise the answer may not be given. */
  recordVerification(
    request: VerifyRequest,
    attempt: VerificationAttempt,
    context: CallContext,
    startedAt: number,
  ): Promise<Outcome<null>> {
    const { outcome, platform } = attempt;
    const masked = platform === undefined ? null : maskData(platform, request.data);
    const circumstances = { context, batchRequestId: null, startedAt };
    const signatureDigest = this.#hasher.sha256(request.signature);
    const data = { valid: outcome.ok ? outcome.value.valid : null, data: masked };
    return this.#append(this.#attemptEntry('verify', request, attempt, circumstances, signatureDigest, data));
  }

  /** Records a request that was refused as a whole, before any account was looked at: malformed, or not its caller's. */
  recordMalformedRequest(event: RequestedEvent, errorCode: string, context: CallContext): Promise<Outcome<null>> {
    return this.#appendEvent(event, 'refused', {
      errorCode,
      ...callerFields(context),
    });
  }

  /** Records that a caller may not be shown something: the account of these ids, or where they are null a list or the status. */
  recordForbidden(
    event: ShownEvent,
    ids: Pick<AuditEntry, 'platformId' | 'accountId'>,
    context: CallContext,
  ): Promise<Outcome<null>> {
    const { platformId, accountId } = ids;
    return this.#appendEvent(event, 'refused', {
      errorCode: 'FORBIDDEN',
      platformId,
      accountId,
      ...callerFields(context),
    });
  }

  /** Records a reload of the configuration, whichever way it went, or that one was refused to its caller. */
  recordReload(
    trigger: ReloadTrigger,
    outcome: Outcome<JsonObject>,
    startedAt: number,
    context: CallContext | null,
  ): Promise<Outcome<null>> {
    return this.#appendEvent('reload', auditOutcomeOf(outcome), {
      errorCode: outcome.ok ? null : outcome.refusal.code,
      data: { trigger, ...(outcome.ok ? outcome.value : reasonsOf(outcome.refusal)) },
      ...(context === null ? {} : callerFields(context)),
      durationMs: roundedMs(this.#clock.monotonic() - startedAt),
    });
  }

  /** Records that the service begins or ends its work; `facts` say what auditors want to know of it. */
  recordLifecycle(event: 'start' | 'stop', facts: JsonObject): Promise<Outcome<null>> {
    return this.#appendEvent(event, 'success', { data: facts });
  }

  /** Every field in one literal: it is made for each signature, and none of its parts needs an object of its own. */
  #attemptEntry(
    event: 'sign' | 'verify',
    { platformId, accountId }: SignRequest,
    { outcome, account, payload }: Attempt<unknown>,
    { context, batchRequestId, startedAt }: SigningCircumstances,
    signatureDigest: string | null,
    data: JsonObject | null,
  ): AuditEntry {
    return {
      time: timeText(this.#clock.now()),
      event,
      outcome: auditOutcomeOf(outcome),
      errorCode: outcome.ok ? null : outcome.refusal.code,
      platformId,
      accountId,
      algorithm: account === undefined ? null : account.algorithm,
      keyId: null,
      policy: null,
      payloadDigest: payload === undefined ? null : this.#hasher.sha256(payload.bytes),
      signatureDigest,
      data,
      correlationId: context.correlationId,
      traceparent: context.traceparent,
      batchRequestId,
      principal: context.principal,
      remoteAddress: context.remoteAddress,
      durationMs: roundedMs(this.#clock.monotonic() - startedAt),
      instanceId: this.#instanceId,
    };
  }

  #appendEvent(event: AuditEvent, outcome: AuditOutcome, fields: Partial<AuditEntry>): Promise<Outcome<null>> {
    const time = timeText(this.#clock.now());
    return this.#append({ ...NO_REQUEST, ...fields, time, event, outcome, instanceId: this.#instanceId });
  }

  async #append(entry: AuditEntry): Promise<Outcome<null>> {
    const handedOverAt = this.#clock.monotonic();
    try {
      await this.#sink.append(entry);
      this.#metrics.committed(this.#clock.monotonic() - handedOverAt, true);
      this.#faults.succeeded();
      return RECORDED;
    } catch (error) {
      this.#metrics.committed(this.#clock.monotonic() - handedOverAt, false);
      this.#faults.failed(entry, error);
      return refused(auditUnavailable());
    }
  }
}

function callerFields({ correlationId, traceparent, principal, remoteAddress }: CallContext): Partial<AuditEntry> {
  return { correlationId, traceparent, principal, remoteAddress };
}

/** Of a refused caller its reason, of a configuration what is wrong with it. */
function reasonsOf({ code, details }: Refusal): JsonObject {
  return code === 'FORBIDDEN' ? { reason: details['reason'] ?? null } : { issues: details['issues'] ?? [] };
}

function roundedMs(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
