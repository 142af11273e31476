import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RedisCommand, RedisReply } from '../../src/adapters/redis/redis.ts';
import { freePort } from '../programs/free-port.ts';
import { linkTo } from './link-to.ts';

const MAX_ATTEMPTS = 5;

/** A redis-server on a port of its own of 127.0.0.1, without persistence. */
export class RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'signing-service-redis-'));
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }

  /** @param options command line, such as `['--requirepass', '…']` */
  static async start(options: readonly string[] = []): Promise<RedisServer> {
    for (let attempt = 1; ; attempt += 1) {
      const server = new RedisServer(await freePort(), options);
      try {
        await server.startAgain();
        return server;
      } catch (error) {
        await server.remove();
        // Tests in other processes may take the port first.
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Restarts the server after `kill`, empty, on the same port. */
  async startAgain(): Promise<void> {
    const place = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.#folder];
    const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no', ...this.#options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const printed: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(line);
      if (!line.includes('eady to accept connections')) continue;
      child.stdout.resume();
      return;
    }
    throw new Error(`redis-server did not start:\n${printed.join('\n')}`);
  }

  async startAgainIfEnded(): Promise<void> {
    if (this.#hasEnded()) await this.startAgain();
  }

  /** Pauses it: connections and commands are accepted without a reply. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Kills it. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#hasEnded()) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #hasEnded(): boolean {
    return this.#child?.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Kills it and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Sends one command as another client, and returns the reply. */
  async command(...command: RedisCommand): Promise<RedisReply> {
    const redis = await linkTo(this.url, { timings: { replyTimeoutMs: 5000, pauseMs: 0 } });
    try {
      const [reply = null] = await redis.send([command]);
      return reply;
    } finally {
      redis.close();
    }
  }
}
