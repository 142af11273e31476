import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Read, verifyInput } from './proof.ts';

/** A service that signs over HTTP, and how to call it; see docs/operators/performance.md. */
export interface Service {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With {{base64}}, {{base64url}} or {{hex}} for the payload. */
  readonly body: string;
  /** With 100 payloads; null: the service has no batches. */
  readonly batchBody: string | null;
  /** Raw ed25519 key. */
  readonly publicKey: Buffer;
}

/** Starts the program in the folder of the service; its output goes to the null device. */
export type Run = (...args: readonly string[]) => void;

/** What differs between start scripts. */
interface StartScriptParts {
  /** The script, which also verifies. */
  readonly file: string;
  /** Environment variable with the path of the program. */
  readonly variable: string;
  /** Name of the program on PATH. */
  readonly program: string;
  /** Arguments that print its version. */
  readonly versionArguments: readonly string[];
  /** Starts the service; `folder` is empty and is removed at the end. */
  start(folder: string, run: Run): Promise<Service>;
  readonly read: Read;
}

const VERIFY = '--verify';
const VERSION = /\d+\.\d+\.\d+[\w.+-]*/;
const READY_MS = 30_000;
const STOP_MS = 10_000;
const POLL_MS = 100;

/**
 * Starts the service, prints its line and stops it at the end of standard input or at a signal; or
 * verifies, if the command line says so.
 */
export async function runStartScript(parts: StartScriptParts): Promise<void> {
  const at = process.argv.indexOf(VERIFY);
  if (at >= 0) await verifyInput(Buffer.from(process.argv[at + 1] ?? '', 'hex'), parts.read);
  else await serve(parts, findProgram(parts));
}

interface Program {
  readonly path: string;
  readonly version: string;
}

/** Ends this process if there is no program. */
function findProgram({ variable, program, versionArguments }: StartScriptParts): Program {
  const path = process.env[variable] ?? program;
  try {
    const printed = execFileSync(path, versionArguments, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return { path, version: VERSION.exec(printed)?.[0] ?? printed.trim() };
  } catch {
    process.stderr.write(`No program '${path}': set ${variable} to its path.\n`);
    process.exit(2);
  }
}

async function serve({ file, start }: StartScriptParts, { path, version }: Program): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-beside-'));
  const children: ChildProcess[] = [];
  let isStopping = false;
  const stop = async (exitCode: number, message = ''): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    process.stderr.write(message);
    for (const child of children) await end(child);
    rmSync(folder, { recursive: true, force: true });
    // Standard input may still be open.
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(0));
  process.stdin.resume().on('end', () => stop(0));
  const run: Run = (...args) => {
    const child = spawn(path, args, { cwd: folder, stdio: 'ignore' });
    child.on('exit', (code, signal) => stop(1, `${path} ended with ${signal ?? code}.\n`));
    children.push(child);
  };
  try {
    const { publicKey, ...service } = await start(folder, run);
    const verify = [process.execPath, '--import', 'tsx', file, VERIFY, publicKey.toString('hex')];
    const pids = children.map(({ pid }) => pid);
    process.stdout.write(`${JSON.stringify({ ...service, version, pids, verify })}\n`);
  } catch (error) {
    await stop(1, `${error}\n`);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  if ((await Promise.race([ended, sleep(STOP_MS)])) === undefined) child.kill('SIGKILL');
  await ended;
}

/** Repeats a call that fails until the service is ready. @throws its last error after 30 s */
export async function untilReady<T>(call: () => Promise<T>): Promise<T> {
  for (const last = performance.now() + READY_MS; ; await sleep(POLL_MS)) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > last) throw error;
    }
  }
}
