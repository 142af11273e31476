import type { AuditSink } from '../../ports/audit-sink.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SelfTestService } from './self-test-service.ts';

/** A condition of readiness. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** For operators. */
  readonly detail?: string;
}

/** Whether the service should get requests. */
export interface Readiness {
  /** Whether every check holds. */
  readonly ready: boolean;
  readonly checks: {
    /** There are accounts. */
    readonly keys: ReadinessCheck;
    /** Audit records can be written. */
    readonly audit: ReadinessCheck;
    /** Signatures are made and verify. */
    readonly selfTest: ReadinessCheck;
    /** The service is not stopping. */
    readonly draining: ReadinessCheck;
    /** Callers can be authenticated; present only where required. */
    readonly authentication?: ReadinessCheck;
  };
}

const OK: ReadinessCheck = { ok: true };

/** Readiness of this process, at most a second old. */
export class ReadinessService {
  readonly #registry: RegistryHolder;
  readonly #sink: AuditSink;
  readonly #selfTest: Pick<SelfTestService, 'run'>;
  #isDraining = false;
  #findAuthenticationIssue: (() => Promise<string | null>) | null = null;

  constructor(registry: RegistryHolder, sink: AuditSink, selfTest: Pick<SelfTestService, 'run'>) {
    this.#registry = registry;
    this.#sink = sink;
    this.#selfTest = selfTest;
  }

  /**
   * Makes authentication a condition: ready only while `findIssue` resolves to null. It must not
   * throw.
   */
  requireAuthentication(findIssue: () => Promise<string | null>): void {
    this.#findAuthenticationIssue = findIssue;
  }

  /** The service is stopping: not ready from now on. */
  drain(): void {
    this.#isDraining = true;
  }

  async report(): Promise<Readiness> {
    const issue = await this.#sink.probe();
    const findIssue = this.#findAuthenticationIssue;
    const checks = {
      keys: this.#checkKeys(),
      audit: checkIssue(issue),
      selfTest: checkIssue(this.#selfTest.run()),
      draining: checkIssue(this.#isDraining ? 'The service is shutting down. It still serves requests.' : null),
      ...(findIssue !== null && { authentication: checkIssue(await findIssue()) }),
    };
    return { ready: Object.values(checks).every(({ ok }) => ok), checks };
  }

  #checkKeys(): ReadinessCheck {
    const { current, loadedAt } = this.#registry;
    if (loadedAt === null) return { ok: false, detail: 'No configuration is loaded.' };
    const { accountCount } = current;
    if (accountCount === 0) {
      return {
        ok: false,
        detail: 'The configuration has no account. Add one with `signing-service account add`, then reload.',
      };
    }
    return { ok: true, detail: `accounts: ${accountCount}` };
  }
}

function checkIssue(issue: string | null): ReadinessCheck {
  return issue === null ? OK : { ok: false, detail: issue };
}
