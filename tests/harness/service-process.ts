import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ExplainedFailure } from '../../src/app/explain-failure.ts';
import type { RunningService } from '../../src/app/lifecycle.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { commandInProcess, printedBy } from './command-in-process.ts';
import { runCommand } from './run-command.ts';

/** Output and exit of a process. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** A folder with an installation, and its processes. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  readonly environment: { [name: string]: string };
  /**
   * Command prefix of every program, such as `['sh', '-c', 'ulimit -c 0; exec "$@"', 'sh']`; has to
   * exec.
   */
  launcher: readonly string[] = [];
  /** Characters kept of each output, the last ones. */
  keptOutput = Number.POSITIVE_INFINITY;
  readonly #processes: Process[] = [];
  readonly #servicesHere: RunningService[] = [];

  constructor(environment: { readonly [name: string]: string } = {}) {
    this.environment = {
      SIGNING_PORT: '0',
      SIGNING_CREDENTIALS_FILE: this.path('credentials.json'),
      SIGNING_MASTER_KEY_FILE: this.path('master.key'),
      SIGNING_AUDIT_FILE: this.path('audit.jsonl'),
      SIGNING_AUDIT_KEY_FILE: this.path('audit.key'),
      // Tests trigger reloads themselves.
      SIGNING_WATCH: 'false',
      SIGNING_DRAIN_DELAY_MS: '0',
      ...environment,
    };
  }

  /** A path in the folder. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs a command. */
  async command(...args: readonly string[]): Promise<Ended> {
    return this.spawn('cli.js', args).ended();
  }

  /** Runs a command that has to succeed; returns its output. */
  async done(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.command(...args);
    if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }

  /** Prepares a test by a successful command in this process; returns its output. */
  prepare(...args: readonly string[]): Promise<string> {
    return runCommand(this.environment, ...args);
  }

  /** Runs a command in this process; see {@link commandInProcess}. */
  commandHere(...args: readonly string[]): Promise<Ended> {
    return commandInProcess(this.environment, args);
  }

  /** Starts the service; resolves when it listens. */
  async start(): Promise<ServiceProcess> {
    return listening(this.spawn('main.js', []));
  }

  /** Starts the service in this process; see `startHere`. */
  async startHere(): Promise<ServiceHere> {
    const service = await startInProcess(this.environment);
    this.#servicesHere.push(service);
    return new ServiceHere(service);
  }

  /** Start failure of the service in this process; see {@link refusedStart}. */
  refusalHere(): Promise<ExplainedFailure> {
    return refusedStart(this.environment);
  }

  /** Starts a program, by its path from dist/ (`npm test` builds first). */
  spawn(program: string, args: readonly string[]): Process {
    const [command = '', ...rest] = [...this.launcher, process.execPath, join(PROJECT_ROOT, 'dist', program), ...args];
    const inherited = Object.entries(process.env).filter(([name]) => !/^(SIGNING_|NODE_ENV|NODE_OPTIONS)/.test(name));
    const child = new Process(
      spawn(command, rest, {
        cwd: this.folder,
        env: { ...Object.fromEntries(inherited), ...this.environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
      this.keptOutput,
    );
    this.#processes.push(child);
    return child;
  }

  /** Ends all processes and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all(this.#processes.map((child) => child.kill()));
    await Promise.all(this.#servicesHere.map((service) => service.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function listening(child: Process): Promise<ServiceProcess> {
  const line = await child.waitForLine(/"message":"Listening\."/);
  const { url, adminUrl } = JSON.parse(line).facts;
  return new ServiceProcess(child, url, adminUrl);
}

/** A process of this project and its output. */
export class Process {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout = '';
  #stderr = '';

  /** @param keptOutput characters kept of its output, the last ones */
  constructor(child: ChildProcess, keptOutput = Number.POSITIVE_INFINITY) {
    this.#child = child;
    this.#closed = once(child, 'close');
    const keep = (text: string) => (text.length > 2 * keptOutput ? text.slice(-keptOutput) : text);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout = keep(this.#stdout + text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = keep(this.#stderr + text);
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** First matching line of standard output; rejects if the process ends without it. */
  async waitForLine(pattern: RegExp): Promise<string> {
    if (this.#child.stdout === null) throw new Error('No standard output.');
    for await (const line of createInterface({ input: this.#child.stdout })) {
      if (pattern.test(line)) return line;
    }
    await this.#closed;
    throw new Error(`The process ended without printing ${pattern}: ${this.#stdout}\n${this.#stderr}`);
  }

  /** Subscribes to further lines of standard output. */
  onLine(report: (line: string) => void): void {
    if (this.#child.stdout !== null) createInterface({ input: this.#child.stdout }).on('line', report);
  }

  get pid(): number {
    return Number(this.#child.pid);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async ended(): Promise<Ended> {
    await this.#closed;
    return { stdout: this.#stdout, stderr: this.#stderr, exitCode: this.#child.exitCode };
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

/** A response of the service. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses vary; a wrong path fails the test.
  readonly body: any;
}

/** The service as callers see it. */
class ServiceAddress {
  readonly url: string;
  /** Null without an admin listener. */
  readonly adminUrl: string | null;

  constructor(url: string, adminUrl: string | null) {
    this.url = url;
    this.adminUrl = adminUrl;
  }

  async get(path: string): Promise<Answer> {
    return this.#answer(await fetch(`${this.url}/api/v1${path}`));
  }

  async post(path: string, body?: object): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#answer(await fetch(`${this.url}/api/v1${path}`, { method: 'POST', headers, ...content }));
  }

  async #answer(response: Response): Promise<Answer> {
    return { status: response.status, body: await response.json() };
  }
}

/** The service in its own process. */
export class ServiceProcess extends ServiceAddress {
  readonly process: Process;

  constructor(process: Process, url: string, adminUrl: string | null = null) {
    super(url, adminUrl);
    this.process = process;
  }

  /** Sends SIGTERM; resolves at the exit. */
  stop(): Promise<Ended> {
    this.process.signal('SIGTERM');
    return this.process.ended();
  }
}

/** The service in this process. */
export class ServiceHere extends ServiceAddress {
  readonly #service: RunningService;

  constructor(service: RunningService) {
    super(service.url, service.adminUrl);
    this.#service = service;
  }

  /** Like SIGHUP. */
  async reload(): Promise<void> {
    await this.#service.reload();
  }

  /** Like SIGINT without exit. */
  stop(): Promise<void> {
    return this.#service.stop();
  }
}

type Environment = { readonly [name: string]: string };

/** As `startHere`. Lazy: most tests start processes only. */
async function startInProcess(environment: Environment): Promise<RunningService> {
  const { startHere } = await import('./start-here.ts');
  return startHere(environment);
}

/** Output and exit code of a service that does not start. */
async function refusedStart(environment: Environment): Promise<ExplainedFailure> {
  const { explainFailure } = await import('../../src/app/explain-failure.ts');
  const { result } = await printedBy(() =>
    startInProcess(environment).then(
      async (service) => {
        await service.stop();
        throw new Error('The service started.');
      },
      (error: unknown) => explainFailure(error),
    ),
  );
  return result;
}

const REPORT = /^\{.*"node-options":.*\}$/m;

/** Facts of the log line about the hardening of the process. */
export async function hardeningReport({ process }: ServiceProcess): Promise<{ readonly [name: string]: unknown }> {
  // It may arrive with the previous line.
  const line = REPORT.exec(process.stdout)?.[0] ?? (await process.waitForLine(REPORT));
  return JSON.parse(line).facts;
}
