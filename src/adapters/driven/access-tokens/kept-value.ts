import { OperatorError } from '../../../domain/model/errors.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';

/** Whose file it is. */
export interface KeptValueParts<Value> {
  /** What it is, for the service log: `The list of authorities`. */
  readonly what: string;
  readonly read: () => Value;
  /** What the service log says of a value that was loaded, so that an operator can tell it from the one before. */
  readonly facts: (value: Value) => object;
  readonly log: ServiceLog;
}

/** What a file says, read at the start and again when it has changed; what can't be used changes nothing. */
export class KeptValue<Value> {
  readonly #parts: KeptValueParts<Value>;
  #value: Value;

  /** @throws what `read` throws */
  constructor(parts: KeptValueParts<Value>) {
    this.#parts = parts;
    this.#value = parts.read();
  }

  get current(): Value {
    return this.#value;
  }

  /** Reads the file anew; the service log says how that went. Never throws. */
  reload(): void {
    const { what, read, facts, log } = this.#parts;
    try {
      this.#value = read();
      log.info(`${what} was loaded.`, { ...facts(this.#value) });
    } catch (error) {
      const isExplained = error instanceof OperatorError;
      log.error(
        `${what} stays as it was. ${isExplained ? error.message : ''}`.trimEnd(),
        isExplained ? {} : { cause: error },
      );
    }
  }
}
