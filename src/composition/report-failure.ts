import {
  AuditUnavailableError,
  CredentialLoadError,
  EditRefusedError,
  InvalidPrivateKeyError,
  OperatorError,
} from '../domain/model/errors.ts';
import { KeyFileError } from '../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../secure-memory/locked-buffer.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Errors that tell an operator what to do; their message is all that is shown. */
const EXPLAINED = [
  AuditUnavailableError,
  CredentialLoadError,
  EditRefusedError,
  InvalidPrivateKeyError,
  KeyFileError,
  MemoryLockError,
  OperatorError,
];

/** What can be told of an error that ends a program. */
export interface ExplainedFailure {
  /** What to tell: the stack only where nothing better is known. */
  readonly text: string;
  readonly exitCode: number;
}

/** What to tell of an error, and with which exit code the program ends. */
export function explainFailure(error: unknown): ExplainedFailure {
  const isExplained = EXPLAINED.some((type) => error instanceof type);
  const text = error instanceof Error ? (isExplained ? error.message : (error.stack ?? error.message)) : String(error);
  return { text, exitCode: isExplained ? EXIT_CODES.refused : EXIT_CODES.crashed };
}

/** Tells on standard error why a program of this service failed, and returns its exit code. */
export function reportFailure(heading: string, error: unknown): number {
  const { text, exitCode } = explainFailure(error);
  process.stderr.write(`${heading}${text}\n`);
  return exitCode;
}
