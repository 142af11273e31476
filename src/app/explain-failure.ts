import { KeyFileError } from '../adapters/key-files/secret-file.ts';
import { MemoryLockError } from '../adapters/vault/locked-buffer.ts';
import {
  AuditUnavailableError,
  CredentialLoadError,
  EditRefusedError,
  InvalidPrivateKeyError,
  OperatorError,
  ServiceUnavailableError,
} from '../domain/model/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Errors for operators: only their message is shown. */
const EXPLAINED = [
  AuditUnavailableError,
  CredentialLoadError,
  EditRefusedError,
  InvalidPrivateKeyError,
  KeyFileError,
  MemoryLockError,
  OperatorError,
  ServiceUnavailableError,
];

/** Text and exit code of an error that ends a program. */
export interface ExplainedFailure {
  /** The message, or the stack of an unexpected error. */
  readonly text: string;
  readonly exitCode: number;
}

/** Chooses text and exit code for an error. */
export function explainFailure(error: unknown): ExplainedFailure {
  const isExplained = EXPLAINED.some((type) => error instanceof type);
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
