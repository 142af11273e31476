import { OperatorError, ServiceUnavailableError } from '../domain/model/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Text and exit code of an error that ends a program. */
export interface ExplainedFailure {
  /** The message, or the stack of an unexpected error. */
  readonly text: string;
  readonly exitCode: number;
}

/** Chooses text and exit code for an error. */
export function explainFailure(error: unknown): ExplainedFailure {
  const isExplained = error instanceof OperatorError;
  const text = error instanceof Error ? (isExplained ? error.message : (error.stack ?? error.message)) : String(error);
  if (error instanceof ServiceUnavailableError) {
    return { text, exitCode: error.isNotReady ? EXIT_CODES.notReady : EXIT_CODES.unavailable };
  }
  return { text, exitCode: isExplained ? EXIT_CODES.refused : EXIT_CODES.crashed };
}

/** Prints an error on standard error and returns its exit code. */
export function reportFailure(heading: string, error: unknown): number {
  const { text, exitCode } = explainFailure(error);
  process.stderr.write(`${heading}${text}\n`);
  return exitCode;
}
