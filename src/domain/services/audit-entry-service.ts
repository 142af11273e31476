import type { AuditSink } from '../../ports/audit-sink.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { EndedAttempt, MetricsRecorder } from '../../ports/metrics.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { LogThrottle } from '../flow/log-throttle.ts';
import type { Account } from '../model/account.ts';
import type { Algorithm } from '../model/algorithm.ts';
import {
  type AuditEntry,
  type AuditEvent,
  type AuditOutcome,
  type DisplayedEvent,
  NO_REQUEST,
  type RequestedEvent,
} from '../model/audit-entry.ts';
import type { JsonObject } from '../model/json.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { NamedRule, Platform } from '../model/platform.ts';
import { NO_POLICY_APPLIES, type PolicyDecision } from '../model/policy.ts';
import { auditUnavailable, type Refusal, type RefusalCode } from '../model/refusal.ts';
import type { ReloadCall } from '../model/service-state.ts';
import type {
  CallContext,
  DryRunResult,
  SignedResult,
  SignRequest,
  VerifiedResult,
  VerifyRequest,
} from '../model/sign-request.ts';
import { formatTime } from '../model/text/iso-time.ts';
import { maskData } from '../payload/mask-data.ts';
import type { RecentActivity } from './recent-activity.ts';

/** An attempt and its outcome, not released yet; absent parts were not reached. */
export interface Attempt<Result> {
  readonly platform?: Platform;
  readonly account?: Account;
  /** The rule of the request. */
  readonly rule?: NamedRule;
  readonly payload?: Payload;
  readonly decision?: PolicyDecision;
  /** Names of the budgets that refuse it. */
  readonly budgets?: readonly string[];
  readonly outcome: Outcome<Result>;
}

/** An attempt to sign. */
export type SigningAttempt = Attempt<SignedResult>;

/** An attempt to verify a signature. */
export type VerificationAttempt = Attempt<VerifiedResult>;

/** An attempt to try a request out. */
export type DryRunAttempt = Attempt<DryRunResult>;

/** Failures of the service; other refusals are the request's fault. */
const SERVICE_FAILURES: readonly RefusalCode[] = ['SIGNATURE_FAILED', 'CONFIG_LOAD_FAILED', 'BUDGET_UNAVAILABLE'];

/** The outcome as audit records and metrics name it. */
function toAuditOutcome(outcome: Outcome<unknown>): AuditOutcome {
  if (outcome.ok) return 'success';
  return SERVICE_FAILURES.includes(outcome.refusal.code) ? 'failed' : 'refused';
}

/**
 * An attempt for metrics: without caller input and account names.
 * @param outcome as the caller gets it: a failure if the attempt could not be recorded
 */
export function toEndedAttempt(
  operation: EndedAttempt['operation'],
  attempt: Attempt<unknown>,
  outcome: Outcome<unknown>,
  { principal, durationMs }: Pick<EndedAttempt, 'principal' | 'durationMs'>,
): EndedAttempt {
  return {
    operation,
    platformId: attempt.platform?.platformId ?? null,
    algorithm: getAlgorithm(attempt),
    outcome: toAuditOutcome(outcome),
    decision: attempt.decision ?? NO_POLICY_APPLIES,
    budgets: attempt.budgets ?? [],
    principal,
    failure: outcome.ok ? null : { code: outcome.refusal.code, reason: getReason(outcome.refusal) },
    durationMs,
  };
}

/** The algorithm that signs: the rule's, else the account's; null without an account. */
function getAlgorithm({ account, rule }: Attempt<unknown>): Algorithm | null {
  return rule?.algorithm ?? account?.algorithm ?? null;
}

/** Name of the rule in a record's masked data; no member of a request is shown by this name. */
const RULE_MEMBER = '[rule]';

/** The masked data of a request, with the name of a rule that is not the default one. */
function toMaskedData({ data, rule: ruleName }: SignRequest, { platform, rule }: Attempt<unknown>): JsonObject | null {
  if (platform === undefined) return null;
  const masked = maskData(platform, data, rule ?? platform.payload);
  return rule === undefined || ruleName === undefined ? masked : { [RULE_MEMBER]: ruleName, ...masked };
}

function getReason({ details }: Refusal): string | null {
  const { reason } = details;
  return typeof reason === 'string' ? reason : null;
}

/** Logs failed audit writes: the first at once, then one line a minute with the count. */
class AuditFailureLog {
  readonly #log: ServiceLog;
  readonly #failures: LogThrottle;

  constructor(log: ServiceLog, clock: Clock) {
    this.#log = log;
    this.#failures = new LogThrottle(clock);
  }

  /** The entry could not be written. */
  failed({ event, correlationId }: AuditEntry, cause: unknown): void {
    const failed = this.#failures.occurred();
    if (failed === 0) return;
    this.#log.error('Audit records could not be written; their results are withheld.', {
      count: failed,
      failed,
      event,
      correlationId,
      cause,
    });
  }

  /** An entry was written: failures that are not logged yet are logged when the minute is over. */
  succeeded(): void {
    const failed = this.#failures.due();
    if (failed > 0) this.#log.info('Audit records can be written again.', { count: failed, failed });
  }
}

/** Facts recorded with an attempt in addition to its request and result. */
export interface SigningContext {
  readonly context: CallContext;
  /** The caller's requestId within a batch, else null. */
  readonly batchRequestId: string | null;
  /** Monotonic clock. */
  readonly startedAt: number;
}

/** A signing attempt and what it attempted. */
export interface AttemptedTask {
  readonly task: SigningContext & { readonly request: SignRequest };
  readonly attempt: SigningAttempt;
}

/** Shared by all durable records. */
const RECORDED: Outcome<null> = accepted(null);

/** Writes the audit record: masks request data, and reports whether the record is durable. */
export class AuditEntryService {
  readonly #sink: AuditSink;
  readonly #hasher: Hasher;
  readonly #clock: Clock;
  readonly #instanceId: string;
  readonly #failureLog: AuditFailureLog;
  readonly #metrics: MetricsRecorder;
  readonly #activity: RecentActivity;

  /**
   * @param log gets the causes of failed writes, so that callers don't log them
   * @param activity gets each entry, durable or not
   */
  constructor(
    sink: AuditSink,
    hasher: Hasher,
    clock: Clock,
    instanceId: string,
    log: ServiceLog,
    metrics: MetricsRecorder,
    activity: RecentActivity,
  ) {
    this.#sink = sink;
    this.#hasher = hasher;
    this.#clock = clock;
    this.#instanceId = instanceId;
    this.#failureLog = new AuditFailureLog(log, clock);
    this.#metrics = metrics;
    this.#activity = activity;
  }

  /** Whether records can be written now. */
  get available(): boolean {
    return this.#sink.available;
  }

  /**
   * Records signing attempts together. Accepted once all records are durable; otherwise nothing may
   * be released.
   */
  async recordAttempts(attempts: readonly AttemptedTask[]): Promise<Outcome<null>> {
    const entries = attempts.map(({ task, attempt }) => {
      const { outcome } = attempt;
      const signatureDigest = outcome.ok ? this.#hasher.sha256(outcome.value.signature) : null;
      const data = toMaskedData(task.request, attempt);
      return this.#attemptEntry('sign', task.request, attempt, task, signatureDigest, data);
    });
    return this.#append(...entries);
  }

  /** Records a dry run. Accepted once the record is durable; otherwise nothing may be released. */
  recordDryRun(request: SignRequest, attempt: DryRunAttempt, signingContext: SigningContext): Promise<Outcome<null>> {
    const { outcome } = attempt;
    const allowed = outcome.ok ? outcome.value.refusal === null : null;
    const data = { allowed, data: toMaskedData(request, attempt) };
    return this.#append(this.#attemptEntry('dry-run', request, attempt, signingContext, null, data));
  }

  /**
   * Records a verification. Accepted once the record is durable; otherwise nothing may be released.
   */
  recordVerification(
    request: VerifyRequest,
    attempt: VerificationAttempt,
    context: CallContext,
    startedAt: number,
  ): Promise<Outcome<null>> {
    const { outcome } = attempt;
    const signingContext = { context, batchRequestId: null, startedAt };
    const signatureDigest = this.#hasher.sha256(request.signature);
    const data = { valid: outcome.ok ? outcome.value.valid : null, data: toMaskedData(request, attempt) };
    return this.#append(this.#attemptEntry('verify', request, attempt, signingContext, signatureDigest, data));
  }

  /** Records a request refused before any account was looked up: malformed or not authenticated. */
  recordRejectedRequest(event: RequestedEvent, errorCode: string, context: CallContext): Promise<Outcome<null>> {
    return this.#append(this.#eventEntry(event, 'refused', { errorCode, ...toCallerFields(context) }));
  }

  /** Records a denied read of an account; null ids for a list or the status. */
  recordForbidden(
    event: DisplayedEvent,
    ids: Pick<AuditEntry, 'platformId' | 'accountId'>,
    context: CallContext,
  ): Promise<Outcome<null>> {
    const { platformId, accountId } = ids;
    const fields = { errorCode: 'FORBIDDEN', platformId, accountId, ...toCallerFields(context) };
    return this.#append(this.#eventEntry(event, 'refused', fields));
  }

  /**
   * Records a reload of the configuration, or its refusal to a caller: one record for each call that
   * shares it, all together. The first has the facts.
   */
  recordReload(calls: readonly ReloadCall[], outcome: Outcome<JsonObject>, startedAt: number): Promise<Outcome<null>> {
    const facts = outcome.ok ? outcome.value : toRefusalFacts(outcome.refusal);
    const durationMs = roundMs(this.#clock.monotonic() - startedAt);
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
  #attemptEntry(
    event: 'sign' | 'dry-run' | 'verify',
    { platformId, accountId }: SignRequest,
    attempt: Attempt<unknown>,
    { context, batchRequestId, startedAt }: SigningContext,
    signatureDigest: string | null,
    data: JsonObject | null,
  ): AuditEntry {
    const { account, outcome, payload, decision, budgets = [] } = attempt;
    return {
      time: formatTime(this.#clock.now()),
      event,
      outcome: toAuditOutcome(outcome),
      errorCode: outcome.ok ? null : outcome.refusal.code,
      platformId,
      accountId,
      algorithm: getAlgorithm(attempt),
      keyId: account?.keyId ?? null,
      policy: decision === undefined ? null : formatDecision(decision, budgets),
      payloadDigest: payload === undefined ? null : this.#hasher.sha256(payload.bytes),
      signatureDigest,
      data,
      correlationId: context.correlationId,
      traceparent: context.traceparent,
      batchRequestId,
      principal: context.principal,
      remoteAddress: context.remoteAddress,
      durationMs: roundMs(this.#clock.monotonic() - startedAt),
      instanceId: this.#instanceId,
    };
  }

  #eventEntry(event: AuditEvent, outcome: AuditOutcome, fields: Partial<AuditEntry>): AuditEntry {
    const time = formatTime(this.#clock.now());
    return { ...NO_REQUEST, ...fields, time, event, outcome, instanceId: this.#instanceId };
  }

  async #append(...entries: readonly AuditEntry[]): Promise<Outcome<null>> {
    if (entries.length === 0) return RECORDED;
    const submittedAt = this.#clock.monotonic();
    try {
      await this.#sink.append(...entries);
      const durableAt = this.#clock.monotonic();
      for (const entry of entries) {
        this.#metrics.recordCommitted(durableAt - submittedAt, true);
        this.#activity.record(entry, durableAt);
      }
      this.#failureLog.succeeded();
      return RECORDED;
    } catch (error) {
      const failedAt = this.#clock.monotonic();
      for (const entry of entries) {
        this.#metrics.recordCommitted(failedAt - submittedAt, false);
        this.#activity.recordFailed(entry, failedAt);
        this.#failureLog.failed(entry, error);
      }
      return refused(auditUnavailable());
    }
  }
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

/** The reason of a denial, or the issues of a configuration. */
function toRefusalFacts({ code, details }: Refusal): JsonObject {
  return code === 'FORBIDDEN' ? { reason: details['reason'] ?? null } : { issues: details['issues'] ?? [] };
}

function roundMs(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
