import { closeSync, fstatSync, readFileSync, type Stats, writeFileSync } from 'node:fs';
import { adviseOnReading } from '../adapters/files/file-advice.ts';
import { openRegularFileSync } from '../adapters/files/open-regular-file.ts';
import { systemErrorCode } from '../adapters/files/system-error-code.ts';

/** EX_TEMPFAIL of sysexits.h. */
export const EXIT_UNAVAILABLE = 75;

/** Where secrets come and go: a file in memory that the service opened, see `run-key-helper.ts`. */
const SECRETS = 3;

/** An expected failure, for the operator: problem and remedy, without secrets. */
export class HelperProblem extends Error {
  override readonly name = 'HelperProblem';
}

/** A service or token that is not available for now: another try may succeed. */
export class ServiceUnavailable extends HelperProblem {}

/** A file cannot be read. The message is a clause about "it". */
export class UnreadableFile extends HelperProblem {
  /** Of the system's error, such as ENOENT. */
  readonly code: string;

  constructor(cause: unknown) {
    super(adviseOnReading(cause), { cause });
    this.code = systemErrorCode(cause);
  }
}

/**
 * The content of a regular file.
 * @param findIssue why it must not be used, a clause about "it"
 * @throws UnreadableFile, HelperProblem
 */
export function readWholeFile(
  path: string,
  maxBytes: number,
  findIssue: (stats: Stats) => string | null = () => null,
): Buffer {
  try {
    const { descriptor, stats } = openRegularFileSync(path, { maxBytes });
    try {
      const { dev, ino } = fstatSync(SECRETS);
      const isOwn = stats.dev === dev && stats.ino === ino;
      const issue = isOwn ? 'it is not a key file; give the path of a regular file' : findIssue(stats);
      if (issue !== null) throw new HelperProblem(issue);
      const content = readFileSync(descriptor);
      const { size, mtimeMs } = fstatSync(descriptor);
      if (size === stats.size && mtimeMs === stats.mtimeMs) return content;
      throw new HelperProblem('it changed while it was being read; try again when no program writes to it');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw error instanceof HelperProblem ? error : new UnreadableFile(error);
  }
}

/**
 * The main function of a key helper: answers the one request on standard input with one JSON
 * document on standard output. An error ends the process with its message on standard error, and
 * status 75 if a service is not available, otherwise 1.
 */
export async function serveRequest<Request>(answer: (request: Request) => unknown): Promise<void> {
  try {
    const response = await answer(JSON.parse(readFileSync(0, 'utf8')));
    writeFileSync(1, JSON.stringify(response));
  } catch (error) {
    writeFileSync(2, error instanceof HelperProblem ? error.message : String((error as Error).stack));
    process.exitCode = error instanceof ServiceUnavailable ? EXIT_UNAVAILABLE : 1;
  }
}

/** The secret that the service lends with a request. */
export function readSecret(): Buffer {
  return readFileSync(SECRETS);
}

/**
 * Leaves a secret to the service, after those before it.
 * @returns its length, which the response names
 * @throws HelperProblem if /dev/shm is full
 */
export function writeSecret(secret: Uint8Array): number {
  try {
    // At the position of the descriptor, which begins at 0.
    writeFileSync(SECRETS, secret);
  } catch (error) {
    throw new HelperProblem(
      `the file system at /dev/shm cannot take the key (${systemErrorCode(error)}); make it larger`,
    );
  }
  return secret.length;
}
