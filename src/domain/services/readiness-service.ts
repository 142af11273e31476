import type { AuditSink } from '../../ports/audit-sink.ts';
import type { JsonValue } from '../model/json.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SelfTestService } from './self-test-service.ts';

/** One thing that has to hold before requests may come. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** For operators: why it does not hold, or what it holds of. */
  readonly detail?: string;
}

/** Whether requests may come now. */
export interface Readiness {
  /** Whether every check holds. */
  readonly ready: boolean;
  readonly checks: {
    /** There is something to sign with. */
    readonly keys: ReadinessCheck;
    /** What is signed can be recorded. */
    readonly audit: ReadinessCheck;
    /** Signatures are made, and are right. */
    readonly selfTest: ReadinessCheck;
    /** The service is not about to stop. */
    readonly draining: ReadinessCheck;
    /** Callers can be known; there only where they have to be. */
    readonly authentication?: ReadinessCheck;
  };
  /** What operators look for in the same place, and what does not decide. */
  readonly facts: { readonly [name: string]: JsonValue };
}

const HOLDS: ReadinessCheck = { ok: true };

/** Says whether this process should be sent requests. What it says is true within a second of any change. */
export class ReadinessService {
  readonly #registry: RegistryHolder;
  readonly #sink: AuditSink;
  readonly #selfTest: Pick<SelfTestService, 'run'>;
  readonly #facts = new Map<string, () => JsonValue>();
  #isDraining = false;
  #findAuthenticationFault: (() => Promise<string | null>) | null = null;

  constructor(registry: RegistryHolder, sink: AuditSink, selfTest: Pick<SelfTestService, 'run'>) {
    this.#registry = registry;
    this.#sink = sink;
    this.#selfTest = selfTest;
  }

  /** From now on every report shows what `fact` returns, under this name. It must not throw. */
  show(name: string, fact: () => JsonValue): void {
    this.#facts.set(name, fact);
  }

  /** From now on the service is ready only while `findFault` resolves to null: callers have to say who they are, and it tells why they can't. It must not throw. */
  requireAuthentication(findFault: () => Promise<string | null>): void {
    this.#findAuthenticationFault = findFault;
  }

  /** The service is about to stop: from now on, for good, it is not ready. */
  drain(): void {
    this.#isDraining = true;
  }

  /** What reports show and does not decide; nothing is checked for it. */
  get facts(): Readiness['facts'] {
    return Object.fromEntries([...this.#facts].map(([name, fact]) => [name, fact()]));
  }

  async report(): Promise<Readiness> {
    const fault = await this.#sink.probe();
    const findFault = this.#findAuthenticationFault;
    const checks = {
      keys: this.#checkKeys(),
      audit: unless(fault),
      selfTest: unless(this.#selfTest.run()),
      draining: unless(this.#isDraining ? 'The service is about to stop. It still answers what comes.' : null),
      ...(findFault !== null && { authentication: unless(await findFault()) }),
    };
    return { ready: Object.values(checks).every(({ ok }) => ok), checks, facts: this.facts };
  }

  #checkKeys(): ReadinessCheck {
    const { current, loadedAt } = this.#registry;
    if (loadedAt === null) return { ok: false, detail: 'No configuration was loaded.' };
    const { accountCount } = current;
    if (accountCount === 0) {
      return { ok: false, detail: 'The configuration has no account. Add one (account add), and reload.' };
    }
    return { ok: true, detail: `accounts: ${accountCount}` };
  }
}

function unless(fault: string | null): ReadinessCheck {
  return fault === null ? HOLDS : { ok: false, detail: fault };
}
