import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { OperatorError, UNAVAILABLE } from '../../domain/model/errors.ts';
import { EXIT_UNAVAILABLE } from '../../key-helpers/helper-program.ts';
import { programModule } from '../../program/program-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { MAX_MEMORY_FILE_BYTES, MemoryFile } from './memory-file.ts';

/** A program that touches foreign key formats or key services, so that this process does not. */
export interface KeyHelper {
  /** For messages: `decode-key`. */
  readonly name: string;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  /** Everything that it inherits. */
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** What to check if it takes longer. */
  readonly timeoutAdvice: string;
}

/** Its response, and its secrets, one after another in a file that the caller closes. */
type Run<Response> = { readonly response: Response; readonly secrets: MemoryFile };

/** Of a response; those of the largest requests have some 100 KiB. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_QUOTED = 600;

/** As of the service itself (deploy). Warnings would hide the reason on standard error. */
const HARDENING: readonly string[] = [
  ...['--disable-proto=delete', '--disallow-code-generation-from-strings', '--no-warnings'],
  // Since Node 22.14.
  ...['--disable-sigusr1'].filter((flag) => process.allowedNodeEnvironmentFlags.has(flag)),
];

/**
 * Command of a program of this service in src/key-helpers.
 * @param without flags that its libraries do not work with
 */
export function toProgram(name: string, without: readonly string[] = []): KeyHelper['command'] {
  const program = programModule(`key-helpers/${name}`);
  const flags = HARDENING.filter((flag) => !without.includes(flag));
  // TypeScript needs the loader of this process. Other options, such as --env-file, are not for it.
  const loader = extname(program) === '.ts' ? process.execArgv : [];
  return [process.execPath, ...loader, ...flags, program];
}

const ignore = () => undefined;

/** Helpers run one at a time: scrypt of one keystore takes 256 MiB. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a key helper without a shell: the request in JSON on its standard input, its response in
 * JSON on its standard output, secrets in either direction in an unnamed file in memory of mode
 * 0600, which it inherits as descriptor 3. This process reads them from there into locked memory.
 * @param request without secrets, except keys in plaintext of a development configuration
 * @param schema of the response
 * @param lend writes a secret for the helper into the file
 * @throws OperatorError if it cannot be started, fails, takes too long or responds at length; it
 * quotes the helper's standard error
 */
export function runKeyHelper<Response>(
  helper: KeyHelper,
  request: object,
  schema: z.ZodType<Response>,
  lend: (file: MemoryFile) => void = () => undefined,
): Promise<Run<Response>> {
  const run = last.then(() => runNow(helper, request, schema, lend));
  // Without its response.
  last = run.then(ignore, ignore);
  return run;
}

async function runNow<Response>(
  helper: KeyHelper,
  request: object,
  schema: z.ZodType<Response>,
  lend: (file: MemoryFile) => void,
): Promise<Run<Response>> {
  const secrets = new MemoryFile();
  try {
    lend(secrets);
    // The errors of both validations quote the response, which may be a key by mistake.
    const document = JSON.parse(await converse(helper, JSON.stringify(request), secrets.descriptor));
    const { data: response } = schema.safeParse(document);
    if (response === undefined) throw failure(helper, 'its response does not follow the protocol');
    if (secrets.size <= MAX_MEMORY_FILE_BYTES) return { response, secrets };
    throw failure(helper, `it left more than ${MAX_MEMORY_FILE_BYTES} bytes of keys`);
  } catch (error) {
    secrets.close();
    throw error instanceof SyntaxError ? failure(helper, 'its response is not JSON') : error;
  }
}

async function start(helper: KeyHelper, descriptor: number): Promise<ChildProcessWithoutNullStreams> {
  const { command, environment } = helper;
  const [program, ...args] = command;
  try {
    const child = spawn(program, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe', descriptor] });
    // It has no streams either if this process may open no more files.
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return child as ChildProcessWithoutNullStreams;
  } catch (error) {
    throw failure(helper, `it cannot be started (${systemErrorCode(error)})`, true, error);
  }
}

/** Standard output of a run that ended with status 0. */
async function converse(helper: KeyHelper, request: string, descriptor: number): Promise<string> {
  const { timeoutMs, timeoutAdvice } = helper;
  const child = await start(helper, descriptor);
  // Such as a setuid program, which this process may not kill; then there is a reason already.
  child.on('error', ignore);
  const ended = once(child, 'close').catch(() => []);
  let reason = '';
  let isLate = false;
  // A program that the helper started may keep the streams open.
  const stop = (why: string) => {
    reason = why;
    child.kill('SIGKILL');
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  };
  const timer = setTimeout(() => {
    isLate = true;
    stop(`it did not finish within ${timeoutMs} ms; ${timeoutAdvice}`);
  }, timeoutMs);
  const [output, problem] = [collect(child.stdout, stop), collect(child.stderr, stop)];
  // A helper that ended early closes its input; its status tells why.
  child.stdin.on('error', ignore);
  child.stdin.end(request);
  const [code, signal] = await ended;
  clearTimeout(timer);
  if (code === 0 && reason === '') return output();
  const isTransient = isLate || (reason === '' && (code === EXIT_UNAVAILABLE || signal !== null));
  throw failure(helper, reason || quote(problem()) || `it ended with ${code ?? signal}`, isTransient);
}

/** Collects a stream; a longer one ends the helper. */
function collect(stream: Readable, stop: (why: string) => void): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) stop(`it printed more than ${MAX_RESPONSE_BYTES} bytes`);
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}

/** What a helper wrote for the operator, in one line without control characters and a full stop. */
export function quote(text: string): string {
  return text
    .slice(0, MAX_QUOTED)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .replace(/\.$/, '');
}

function failure({ name }: KeyHelper, problem: string, isTransient = false, cause?: unknown): OperatorError {
  return new OperatorError(`Key helper ${name}: ${problem}.`, { cause, ...(isTransient ? { code: UNAVAILABLE } : {}) });
}
