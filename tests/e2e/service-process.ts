import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunningService } from '../../src/composition/lifecycle.ts';
import type { ExplainedFailure } from '../../src/composition/report-failure.ts';
import { commandInProcess } from './command-in-process.ts';
import { runCommand } from './run-command.ts';
import { refusedStart, serviceInProcess } from './service-in-process.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** What a process printed and how it ended. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** A folder with everything one installation needs, and the processes that run on it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  readonly environment: { [name: string]: string };
  /** Command that every program is started by, such as `['sh', '-c', 'ulimit -c 0; exec "$@"', 'sh']`; it has to end in an exec. */
  launcher: readonly string[] = [];
  /** How many characters are kept of what each process prints, the last ones: a service under load for long prints more than is worth keeping. */
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
      // What a test changes takes effect when the test says so.
      SIGNING_WATCH: 'false',
      SIGNING_DRAIN_DELAY_MS: '0',
      ...environment,
    };
  }

  /** A path inside the folder. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs one command of the command line to its end. */
  async command(...args: readonly string[]): Promise<Ended> {
    return this.spawn('cli.js', args).ended();
  }

  /** Runs one command that has to succeed; returns what it printed. */
  async done(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.command(...args);
    if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }

  /** Runs one command that has to succeed in this process, for what a test begins with and is not about; returns what it printed. */
  prepare(...args: readonly string[]): Promise<string> {
    return runCommand(this.environment, ...args);
  }

  /** Runs one command to its end in this process, for one of many cases that show the same there; see {@link commandInProcess}. */
  commandHere(...args: readonly string[]): Promise<Ended> {
    return commandInProcess(this.environment, args);
  }

  /** Starts the service and waits until it listens. */
  async start(): Promise<ServiceProcess> {
    return listening(this.spawn('main.js', []));
  }

  /**
   * Starts the service in this process, for tests that are not about the process; see
   * {@link serviceInProcess}.
   */
  async startHere(): Promise<ServiceHere> {
    const service = await serviceInProcess(this.environment);
    this.#servicesHere.push(service);
    return new ServiceHere(service);
  }

  /** Tells why the service does not start, by a start in this process; see {@link refusedStart}. */
  refusalHere(): Promise<ExplainedFailure> {
    return refusedStart(this.environment);
  }

  /** Starts the service by a command of the shell, which has to end in an exec, and waits until it listens. */
  async startShell(command: string): Promise<ServiceProcess> {
    return listening(this.#spawn('/bin/sh', ['-c', command]));
  }

  /** Starts a built program of this project (`npm test` builds first). */
  spawn(program: string, args: readonly string[]): Process {
    const [command = '', ...rest] = [...this.launcher, process.execPath, join(REPOSITORY, 'dist', program), ...args];
    return this.#spawn(command, rest);
  }

  #spawn(command: string, args: readonly string[]): Process {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(SIGNING_|NODE_ENV|NODE_OPTIONS)/.test(name));
    const child = new Process(
      spawn(command, args, {
        cwd: this.folder,
        env: { ...Object.fromEntries(inherited), ...this.environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
      this.keptOutput,
    );
    this.#processes.push(child);
    return child;
  }

  /** Ends what still runs and removes the folder. */
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

/** A process of this project and what it prints. */
export class Process {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout = '';
  #stderr = '';

  /** @param keptOutput characters that are kept of what it prints, the last ones */
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

  /** The first line of standard output that matches; an error when the process ends without it. */
  async waitForLine(pattern: RegExp): Promise<string> {
    if (this.#child.stdout === null) throw new Error('No standard output.');
    for await (const line of createInterface({ input: this.#child.stdout })) {
      if (pattern.test(line)) return line;
    }
    await this.#closed;
    throw new Error(`The process ended without printing ${pattern}: ${this.#stdout}\n${this.#stderr}`);
  }

  /** Tells every line that it prints to standard output from now on. */
  onLine(tell: (line: string) => void): void {
    if (this.#child.stdout !== null) createInterface({ input: this.#child.stdout }).on('line', tell);
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

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape, and a wrong path fails them.
  readonly body: any;
}

/** The service as its callers see it. */
class ServiceAddress {
  readonly url: string;
  /** Of the listener of operators; null where it has none of its own. */
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

/** The service as a process of its own. */
export class ServiceProcess extends ServiceAddress {
  readonly process: Process;

  constructor(process: Process, url: string, adminUrl: string | null = null) {
    super(url, adminUrl);
    this.process = process;
  }

  /** SIGTERM, and how the process ended. */
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

  /** What SIGHUP does to the service as a process. */
  async reload(): Promise<void> {
    await this.#service.reload();
  }

  /** What SIGINT does to the service as a process, short of its end. */
  stop(): Promise<void> {
    return this.#service.stop();
  }
}
