import { fstatSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';

/** Where secrets come and go: a file in memory that the service opened, see `run-key-helper.ts`. */
const SECRETS = 3;

/** An expected failure, for the operator: its message names file or setting and the remedy. */
export class HelperProblem extends Error {
  override readonly name = 'HelperProblem';
}

/**
 * The main function of a key helper: answers the one request on standard input with one JSON
 * document on standard output. An error ends the process with status 1 and its message on standard
 * error.
 */
export async function serveRequest<Request>(answer: (request: Request) => unknown): Promise<void> {
  try {
    const response = await answer(JSON.parse(readFileSync(0, 'utf8')));
    writeFileSync(1, JSON.stringify(response));
  } catch (error) {
    const isExpected = error instanceof HelperProblem;
    writeFileSync(2, error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : 'failed');
    process.exitCode = 1;
  }
}

/** The secret that the service lends with a request. */
export function readSecret(): Buffer {
  const secret = Buffer.alloc(fstatSync(SECRETS).size);
  readSync(SECRETS, secret, 0, secret.length, 0);
  return secret;
}

let written = 0;

/**
 * Leaves a secret to the service, after those before it.
 * @returns its length, which the response names
 */
export function writeSecret(secret: Uint8Array): number {
  for (let done = 0; done < secret.length; ) {
    done += writeSync(SECRETS, secret, done, secret.length - done, written + done);
  }
  written += secret.length;
  return secret.length;
}
