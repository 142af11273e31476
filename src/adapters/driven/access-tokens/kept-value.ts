import type { ServiceLog } from '../../../ports/service-log.ts';
import { AccessTokenError } from './access-token-error.ts';

/** What a file says, read at the start and again when it has changed; what can't be used changes nothing. */
export class KeptValue<Value> {
  readonly #what: string;
  readonly #read: () => Value;
  readonly #log: ServiceLog;
  #value: Value;

  /**
   * @param what it is, for the service log: `The list of authorities`
   * @throws what `read` throws
   */
  constructor(what: string, read: () => Value, log: ServiceLog) {
    this.#what = what;
    this.#read = read;
    this.#log = log;
    this.#value = read();
  }

  get current(): Value {
    return this.#value;
  }

  /** Reads the file anew; the service log says how that went. Never throws. */
  reload(): void {
    try {
      this.#value = this.#read();
      this.#log.info(`${this.#what} was loaded.`);
    } catch (error) {
      const isExplained = error instanceof AccessTokenError;
      this.#log.error(
        `${this.#what} stays as it was. ${isExplained ? error.message : ''}`.trimEnd(),
        isExplained ? {} : { cause: error },
      );
    }
  }
}
