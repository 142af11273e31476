import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../project-root.ts';
import { TEST_CERTIFICATE } from './certificates.ts';

const CONFIGURATION = join(PROJECT_ROOT, 'deploy/nginx/nginx.conf');
const STARTED_MS = 5000;

/** Where to run nginx. */
export interface NginxPlace {
  readonly program: string;
  /** For nginx's own files. */
  readonly folder: string;
  readonly port: number;
  /** Ports of the two replicas on 127.0.0.1. */
  readonly replicaPorts: readonly [number, number];
  /** Further replacements in the file, in this order. */
  readonly changes?: readonly (readonly [shipped: string, here: string])[];
}

/**
 * deploy/nginx/nginx.conf with other addresses, ports and paths. @throws Error if it lacks one of
 * these
 */
export function shippedConfiguration({ folder, port, replicaPorts, changes = [] }: NginxPlace): string {
  const replacements = [
    // First, since other paths may be below it.
    [' /tmp/', ` ${folder}/`],
    ['10.210.0.11:8080', `127.0.0.1:${replicaPorts[0]}`],
    ['10.210.0.12:8080', `127.0.0.1:${replicaPorts[1]}`],
    ['listen 8443', `listen 127.0.0.1:${port}`],
    ['/etc/nginx/tls/tls.crt', TEST_CERTIFICATE.certFile],
    ['/etc/nginx/tls/tls.key', TEST_CERTIFICATE.keyFile],
    ...changes,
  ] as const;
  return replacements.reduce(
    (text, [shipped, here]) => {
      if (!text.includes(shipped)) throw new Error(`${CONFIGURATION} has no ${shipped}.`);
      return text.replaceAll(shipped, here);
    },
    readFileSync(CONFIGURATION, 'utf8'),
  );
}

/** nginx with the shipped configuration. */
export class ShippedNginx {
  readonly port: number;
  readonly #child: ChildProcess;
  #stderr = '';

  /** Runs `nginx -t`. @throws Error with its output, including warnings */
  static check(place: NginxPlace): void {
    const { status, stderr } = spawnSync(place.program, ['-t', '-q', '-c', writeConfiguration(place)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0 || stderr.length > 0) throw new Error(`nginx does not take the configuration: ${stderr}`);
  }

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
  }

  /** Starts nginx; resolves when it listens. */
  static async start(place: NginxPlace): Promise<ShippedNginx> {
    const file = writeConfiguration(place);
    const child = spawn(place.program, ['-c', file, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const nginx = new ShippedNginx(place.port, child);
    const limit = performance.now() + STARTED_MS;
    while (!(await listens(place.port))) {
      if (performance.now() > limit || child.exitCode !== null)
        throw new Error(`nginx did not start: ${nginx.#stderr}`);
      await sleep(20);
    }
    return nginx;
  }

  /** Its messages about replicas. */
  get stderr(): string {
    return this.#stderr;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

function writeConfiguration(place: NginxPlace): string {
  mkdirSync(place.folder, { recursive: true });
  const file = join(place.folder, 'nginx.conf');
  writeFileSync(file, shippedConfiguration(place));
  return file;
}

function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}
