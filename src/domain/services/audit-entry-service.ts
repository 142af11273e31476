import type { Ports } from '../../ports/ports.ts';
import { type Attempt, getAlgorithm, toAuditOutcome } from '../model/attempt.ts';
import { type AuditEntry, type AuditEvent, type AuditOutcome, NO_REQUEST } from '../model/audit-entry.ts';
import type { JsonObject } from '../model/json.ts';
import type { Operation } from '../model/operations.ts';
import type { PolicyDecision } from '../model/policy.ts';
import { accepted, type Outcome, refuse, refused } from '../model/refusal.ts';
import type { ReloadCall } from '../model/service-state.ts';
import type { CallContext } from '../model/sign-request.ts';
import { formatTime } from '../model/text/iso-time.ts';
import { maskData } from '../payload/mask-data.ts';
import type { RecentActivity } from './recent-activity.ts';

/** Log lines about records that could not be written. */
const WRITING = { topic: 'audit records', countAs: 'failed' };

/** Shared by all durable records. */
const RECORDED: Outcome<null> = accepted(null);

/** `log` gets the causes of failed writes, so that callers don't log them. */
type Parts = Pick<Ports, 'sink' | 'hasher' | 'clock' | 'log' | 'metrics'> & {
  readonly instanceId: string;
  /** Gets each entry, durable or not. */
  readonly activity: RecentActivity;
};

/** Writes the audit record: masks request data, and reports whether the record is durable. */
export class AuditEntryService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether records can be written now. */
  get available(): boolean {
    return this.#parts.sink.available;
  }

  /**
   * Records attempts together, and marks them once all records are durable. Otherwise nothing may
   * be released, and each ends with SIGNATURE_FAILED.
   */
  async recordAttempts(attempts: readonly Attempt[]): Promise<void> {
    const recorded = await this.#append(...attempts.map((attempt) => this.#attemptEntry(attempt)));
    for (const attempt of attempts) {
      if (recorded.ok) attempt.isRecorded = true;
      else attempt.outcome = recorded;
    }
  }

  /**
   * Records a request refused before its attempt: malformed, not authenticated or denied.
   * @param account that it names, if known
   * @param data facts for auditors
   */
  recordRejectedRequest(
    event: Operation,
    errorCode: string,
    context: CallContext,
    { platformId = null, accountId = null }: Partial<Pick<AuditEntry, 'platformId' | 'accountId'>> = {},
    data: JsonObject | null = null,
  ): Promise<Outcome<null>> {
    const fields = { errorCode, platformId, accountId, data, ...toCallerFields(context) };
    return this.#append(this.#eventEntry(event, 'refused', fields));
  }

  /**
   * Records a reload of the configuration: one record for each call that shares it, all together.
   * The first has the facts.
   */
  recordReload(calls: readonly ReloadCall[], outcome: Outcome<JsonObject>, startedAt: number): Promise<Outcome<null>> {
    const facts = outcome.ok ? outcome.value : { issues: outcome.refusal.details['issues'] ?? [] };
    const durationMs = roundMs(this.#parts.clock.monotonic() - startedAt);
    const entries = calls.map(({ trigger, context }, index) =>
      this.#eventEntry('reload', toAuditOutcome(outcome), {
        errorCode: outcome.ok ? null : outcome.refusal.code,
        data: index === 0 ? { trigger, ...facts } : { trigger },
        ...(context === null ? {} : toCallerFields(context)),
        durationMs,
      }),
    );
    return this.#append(...entries);
  }

  /** Records start or stop of the service with `facts` for auditors. */
  recordLifecycle(event: 'start' | 'stop', facts: JsonObject): Promise<Outcome<null>> {
    return this.#append(this.#eventEntry(event, 'success', { data: facts }));
  }

  /** One literal without intermediate objects, because it runs for each signature. */
  #attemptEntry(attempt: Attempt): AuditEntry {
    const { operation, request, account, payload, decision, signature, context } = attempt;
    const outcome = attempt.outcome ?? refused(refuse('AuditUnavailable'));
    return {
      time: formatTime(this.#parts.clock.now()),
      event: operation,
      outcome: toAuditOutcome(outcome),
      errorCode: outcome.ok ? null : outcome.refusal.code,
      platformId: request.platformId,
      accountId: request.accountId,
      algorithm: getAlgorithm(attempt),
      keyId: account === null ? null : account.keyId,
      policy: decision === null ? null : formatDecision(decision, attempt.budgets),
      payloadDigest: payload === null ? null : this.#parts.hasher.sha256(payload.bytes),
      signatureDigest: signature === null ? null : this.#parts.hasher.sha256(signature),
      data: toAttemptData(attempt),
      correlationId: context.correlationId,
      traceparent: context.traceparent,
      batchRequestId: attempt.batchRequestId,
      principal: context.principal,
      remoteAddress: context.remoteAddress,
      durationMs: roundMs(this.#parts.clock.monotonic() - attempt.startedAt),
      instanceId: this.#parts.instanceId,
    };
  }

  #eventEntry(event: AuditEvent, outcome: AuditOutcome, fields: Partial<AuditEntry>): AuditEntry {
    const time = formatTime(this.#parts.clock.now());
    return { ...NO_REQUEST, ...fields, time, event, outcome, instanceId: this.#parts.instanceId };
  }

  async #append(...entries: readonly AuditEntry[]): Promise<Outcome<null>> {
    if (entries.length === 0) return RECORDED;
    const submittedAt = this.#parts.clock.monotonic();
    try {
      await this.#parts.sink.append(...entries);
      const durableAt = this.#parts.clock.monotonic();
      for (const entry of entries) {
        this.#parts.metrics.recordCommitted(durableAt - submittedAt, true);
        this.#parts.activity.record(entry, durableAt);
      }
      this.#parts.log.recovered('Audit records can be written again.', {}, WRITING);
      return RECORDED;
    } catch (error) {
      const failedAt = this.#parts.clock.monotonic();
      for (const entry of entries) {
        this.#parts.metrics.recordCommitted(failedAt - submittedAt, false);
        this.#parts.activity.recordFailed(entry, failedAt);
        const facts = { event: entry.event, correlationId: entry.correlationId, cause: error };
        this.#parts.log.error('Audit records could not be written; their results are withheld.', facts, WRITING);
      }
      return refused(refuse('AuditUnavailable'));
    }
  }
}

/** What the record says of the request: its masked data, with the result that no digest shows. */
function toAttemptData(attempt: Attempt): JsonObject | null {
  const data = toMaskedData(attempt);
  const result = attempt.outcome?.ok === true ? attempt.outcome.value : null;
  switch (attempt.operation) {
    case 'sign':
      return data;
    case 'dry-run':
      return { allowed: result === null ? null : attempt.denial === null, data };
    case 'verify':
      return { valid: result !== null && 'valid' in result ? result.valid : null, data };
  }
}

/** Name of the rule in a record's masked data; no member of a request is shown by this name. */
const RULE_MEMBER = '[rule]';

/** The masked data of a request, with the name of a rule that is not the default one. */
function toMaskedData({ request, platform, rule }: Attempt): JsonObject | null {
  if (platform === null) return null;
  const masked = maskData(platform, request.data, rule ?? platform.payload);
  return rule === null || request.rule === undefined ? masked : { [RULE_MEMBER]: request.rule, ...masked };
}

/** Longest `policy` of a record, UTF-16 code units. */
const MAX_POLICY_LENGTH = 512;

/**
 * `budget:NAME` for each budget that refuses the request, then the names of the deciding policies,
 * then `audit:NAME` for each policy in audit mode that would have denied; joined by commas, as many
 * as fit. Null where nothing decides.
 */
function formatDecision({ policies, wouldDeny }: PolicyDecision, budgets: readonly string[]): string | null {
  if (policies.length === 0 && wouldDeny.length === 0 && budgets.length === 0) return null;
  const refusing = budgets.map((name) => `budget:${name}`);
  const [first, ...others] = [...refusing, ...policies, ...wouldDeny.map((name) => `audit:${name}`)];
  const join = (text: string, name: string) =>
    text.length + name.length < MAX_POLICY_LENGTH ? `${text},${name}` : text;
  return others.reduce(join, first ?? '');
}

function toCallerFields({ correlationId, traceparent, principal, remoteAddress }: CallContext): Partial<AuditEntry> {
  return { correlationId, traceparent, principal, remoteAddress };
}

function roundMs(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
