import type { Facts, ServiceLog, Throttling } from '../../ports/service-log.ts';

/** Severities of the service log. */
export type ServiceLogLevel = 'error' | 'warn' | 'info';

/** Time between lines of a cause, milliseconds. */
const INTERVAL_MS = 60_000;

/** Causes of a topic at a time with separate lines, which bounds the lines of an interval. */
const MAX_CAUSES = 16;

/** Stands for the causes beyond {@link MAX_CAUSES}. */
const OTHER_CAUSES = '(others)';

/** Accounts named in a line. */
const MAX_NAMED = 3;

/** What occurred for a cause since its last line. */
interface Unlogged {
  count: number;
  readonly accounts: Set<string>;
  /** Writes the line. */
  write: () => void;
  /** Ends the interval of the last line. */
  timer: NodeJS.Timeout | undefined;
}

interface Topic {
  /** By cause. */
  readonly unlogged: Map<string, Unlogged>;
  /** Whether the condition was logged, and its end was not. */
  isOpen: boolean;
  /** Writes that the condition has ended; null while it lasts. */
  recover: (() => void) | null;
  /** Runs for an interval from the first end: a condition that comes and goes stays throttled. */
  settling: NodeJS.Timeout | undefined;
}

/** Throttles lines as the port says. Does not keep the process alive. */
export abstract class ThrottledLog implements ServiceLog {
  readonly #topics = new Map<string, Topic>();

  /** Writes a line. */
  protected abstract write(level: ServiceLogLevel, message: string, facts?: Facts): void;

  info(message: string, facts?: Facts, throttling?: Throttling): void {
    this.#log('info', message, facts, throttling);
  }

  warn(message: string, facts?: Facts, throttling?: Throttling): void {
    this.#log('warn', message, facts, throttling);
  }

  error(message: string, facts?: Facts, throttling?: Throttling): void {
    this.#log('error', message, facts, throttling);
  }

  recovered(message: string, facts: Facts, { topic: name, countAs }: Throttling): boolean {
    const topic = this.#topics.get(name);
    if (topic === undefined) return false;
    topic.recover = () => {
      let count = 0;
      for (const unlogged of topic.unlogged.values()) {
        count += unlogged.count;
        reset(unlogged);
      }
      this.write('info', message, { ...(count > 0 && countFacts(count, countAs)), ...facts });
    };
    return recover(topic);
  }

  flush(): void {
    for (const topic of this.#topics.values()) {
      for (const cause of topic.unlogged.keys()) this.#endInterval(topic, cause);
    }
  }

  #log(level: ServiceLogLevel, message: string, facts: Facts | undefined, throttling: Throttling | undefined): void {
    if (throttling === undefined) return void this.write(level, message, facts);
    const { topic: name, cause = '', countAs, accounts } = throttling;
    const topic = this.#topics.get(name) ?? {
      unlogged: new Map(),
      isOpen: false,
      recover: null,
      settling: undefined,
    };
    this.#topics.set(name, topic);
    topic.recover = null;
    const key = topic.unlogged.has(cause) || topic.unlogged.size < MAX_CAUSES ? cause : OTHER_CAUSES;
    const unlogged = topic.unlogged.get(key) ?? { count: 0, accounts: new Set(), write: () => {}, timer: undefined };
    topic.unlogged.set(key, unlogged);
    unlogged.count += accounts?.length ?? 1;
    for (const account of accounts ?? []) unlogged.accounts.add(account);
    unlogged.write = () => {
      const named = [...unlogged.accounts];
      this.write(level, message, {
        ...countFacts(unlogged.count, countAs),
        ...(accounts !== undefined && { accountCount: named.length, accounts: named.slice(0, MAX_NAMED) }),
        ...facts,
      });
    };
    if (unlogged.timer === undefined) this.#write(topic, key, unlogged);
  }

  #write(topic: Topic, cause: string, unlogged: Unlogged): void {
    unlogged.timer = setTimeout(() => this.#endInterval(topic, cause), INTERVAL_MS).unref();
    unlogged.write();
    reset(unlogged);
    topic.isOpen = true;
    recover(topic);
  }

  /** Begins the next interval with a line if one is due. */
  #endInterval(topic: Topic, cause: string): void {
    const unlogged = topic.unlogged.get(cause);
    clearTimeout(unlogged?.timer);
    if (unlogged === undefined || unlogged.count === 0) topic.unlogged.delete(cause);
    else this.#write(topic, cause, unlogged);
  }
}

function reset(unlogged: Unlogged): void {
  unlogged.count = 0;
  unlogged.accounts.clear();
}

function recover(topic: Topic): boolean {
  if (!topic.isOpen || topic.recover === null) return false;
  topic.recover();
  topic.isOpen = false;
  if (topic.settling !== undefined) return true;
  // The condition is over: it is logged at once when it comes back.
  for (const { timer } of topic.unlogged.values()) clearTimeout(timer);
  topic.unlogged.clear();
  topic.settling = setTimeout(() => {
    topic.settling = undefined;
  }, INTERVAL_MS).unref();
  return true;
}

function countFacts(count: number, countAs: string | undefined): Facts {
  return { count, ...(countAs !== undefined && { [countAs]: count }) };
}
