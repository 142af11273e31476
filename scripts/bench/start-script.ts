import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Cleanup } from '../run/bounded-run.ts';

/*
 * Start scripts of other signing services; their contract is part of
 * docs/operators/performance.md.
 */

/** Items of a batch. */
export const BATCH_ITEMS = 100;
/** Stands for a payload in this encoding. */
export const PLACEHOLDER = /\{\{(base64|base64url|hex)\}\}/g;

const READY_MS = 60_000;
const STOP_MS = 15_000;
/** From the end of a process to its last output. */
const OUTPUT_MS = 200;
/** From the end of a service to the end of its script. */
const ENDING_MS = 1000;
const BY_NODE = /\.(ts|js|mjs)$/;
/** Characters kept of its standard error, the last ones. */
const KEPT = 2000;

const template = (count: number) =>
  z.string().refine((text) => text.match(PLACEHOLDER)?.length === count, {
    error: `must contain {{base64}}, {{base64url}} or {{hex}} ${count === 1 ? 'once' : `${count} times`}`,
  });

const STARTED = z.strictObject({
  name: z.string().min(1),
  version: z.string().min(1),
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()),
  body: template(1),
  batchBody: template(BATCH_ITEMS).nullable(),
  pids: z
    .array(
      z
        .int()
        .positive()
        .refine((pid) => existsSync(`/proc/${pid}`), { error: 'must be a running process' }),
    )
    .min(1),
  verify: z.array(z.string()).min(1),
});

/** The line that a start script prints. */
type Started = z.infer<typeof STARTED>;

/** A request and its response, as texts. */
export interface Exchange {
  readonly body: string;
  readonly response: string;
}

/** A problem of a start script or its service; the message names the script. */
export class StartScriptError extends Error {
  /** @param command the script with its arguments */
  constructor(command: string, reason: string) {
    super(`${command}: ${reason.trim()}`);
  }
}

/** A running start script and its service. */
export class StartScript {
  readonly started: Started;
  readonly #process: ScriptProcess;

  private constructor(process: ScriptProcess, started: Started) {
    this.#process = process;
    this.started = started;
  }

  /**
   * Starts a script; cleanup ends it.
   * @param command its path and arguments, separated by blanks
   * @throws StartScriptError if it does not start its service within a minute
   */
  static async start(command: string, cleanup: Cleanup): Promise<StartScript> {
    const process = new ScriptProcess(command);
    cleanup.add(() => process.end());
    return new StartScript(process, parseStarted(command, await process.firstLine()));
  }

  /** Error with this reason, or with how the script ended if it has. */
  async error(reason: string): Promise<StartScriptError> {
    return new StartScriptError(this.#process.command, (await this.#process.ending()) ?? reason);
  }

  /** Verifies signatures by the script's program. @throws StartScriptError if it rejects one */
  async verify(exchanges: readonly Exchange[]): Promise<void> {
    const [program = '', ...args] = this.started.verify;
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
    const stderr = keepEnd(child);
    // It may end before it has read all.
    child.stdin.on('error', () => undefined);
    child.stdin.end(exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join(''));
    const [exitCode, signal] = await once(child, 'close').catch((error: Error) => [error.message]);
    if (exitCode !== 0) throw await this.error(`'verify' ended with ${signal ?? exitCode}: ${stderr()}`);
  }
}

function parseStarted(command: string, line: string): Started {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new StartScriptError(command, `its line is not JSON: ${line.slice(0, 200)}`);
  }
  const { success, data, error } = STARTED.safeParse(value);
  if (success) return data;
  const issues = error.issues.map(({ path, message }) => `'${path.join('.')}' ${message}`);
  throw new StartScriptError(command, `wrong line: ${issues.join('; ')}`);
}

class ScriptProcess {
  readonly command: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;

  constructor(command: string) {
    this.command = command;
    const [path = '', ...args] = command.trim().split(/\s+/);
    const file = resolve(path);
    const isByNode = BY_NODE.test(file);
    try {
      accessSync(file, isByNode ? constants.R_OK : constants.X_OK);
    } catch {
      throw new StartScriptError(command, isByNode ? 'no such file' : 'no such file, or it is not executable');
    }
    const [program, options] = isByNode ? [process.execPath, ['--import', 'tsx', file]] : [file, []];
    // Leads a process group, so that an interruption in the terminal reaches it in order.
    this.#child = spawn(program, [...options, ...args], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const stderr = keepEnd(this.#child);
    this.#ended = once(this.#child, 'exit').then(
      // Its service may keep standard error open, so that nothing marks the end of its output.
      ([code, signal]) => sleep(OUTPUT_MS).then(() => `it ended with ${signal ?? code}: ${stderr()}`),
      (error: Error) => `it did not start: ${error.message}`,
    );
    this.#child.stdin?.on('error', () => undefined);
  }

  /** The first line of its output; later ones are ignored. */
  async firstLine(): Promise<string> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('No standard output.');
    const lines = createInterface({ input: stdout });
    const line = new Promise<string>((resolve) => void lines.once('line', resolve));
    const late = sleep(READY_MS, `it printed no line within ${READY_MS / 1000} s`, { ref: false });
    const failure = Promise.race([this.#ended, late]).then((reason) => {
      throw new StartScriptError(this.command, reason);
    });
    // It ends after its line, too.
    failure.catch(() => undefined);
    return Promise.race([line, failure]);
  }

  /** How it ended; null if it runs. */
  ending(): Promise<string | null> {
    return Promise.race([this.#ended, sleep(ENDING_MS, null)]);
  }

  /** Ends it and its service. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    this.#child.kill('SIGTERM');
    const ending = await Promise.race([this.#ended, sleep(STOP_MS, null)]);
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (ending === null) {
      process.stderr.write(`${this.command} did not end within ${STOP_MS / 1000} s after SIGTERM and was killed.\n`);
    }
    try {
      // Its service may live on.
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing of its group is left.
    }
  }
}

/** The end of what a process writes to its standard error. */
function keepEnd({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = `${text}${chunk}`.slice(-KEPT);
  });
  return () => text.trim();
}
