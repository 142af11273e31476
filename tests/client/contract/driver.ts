import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { expect } from 'chai';
import type { SigningClientOptions } from '../../../src/client/client.ts';

/** An error of any client, in the names of the TypeScript client; `invalid` for bad arguments. */
export interface DriverError {
  readonly kind: string;
  readonly message: string;
  readonly requestId?: string;
  readonly mayHaveBeenDone?: boolean;
  readonly code?: string;
  readonly status?: number;
  readonly details?: { readonly [name: string]: unknown };
  readonly retryAfterMs?: number | null;
  readonly phase?: string;
  readonly reason?: string;
  readonly claimed?: DriverError | null;
}

/** One call. `special` replaces the data by a value that JSON does not have. */
export interface DriverCall {
  readonly call: string;
  readonly request?: object;
  readonly requests?: readonly object[];
  readonly options?: object;
  /** Of `fillMessage` and `sendRequest`, whose request is that of a result. */
  readonly values?: { readonly [name: string]: string };
  readonly special?: 'nan' | 'infinity' | 'big-integer' | 'date';
  readonly times?: number;
}

/** What a driver reports. */
export interface DriverReply {
  // biome-ignore lint/suspicious/noExplicitAny: results vary; a wrong path fails the test.
  readonly ok?: any;
  readonly error?: DriverError;
}

/** The options that all clients have. */
export type ContractOptions = Omit<SigningClientOptions, 'onAttempt' | 'expectedPayloads'>;

/** A client of any language, as the contract reaches it. */
export interface DriverTransport {
  send(message: object): Promise<DriverReply>;
  end(): Promise<void>;
}

/** How to start a client's driver. */
export interface DriverCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** JSON on one line, without characters that end lines elsewhere. */
function toLine(message: object): string {
  const text = JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${text}\n`;
}

/** A client in another process: JSON lines in, JSON lines out. */
export class DriverProcess implements DriverTransport {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #waiting: ((line: string | null) => void)[] = [];
  #hasEnded = false;
  #stderr = '';

  constructor({ command, args }: DriverCommand) {
    // No client uses a proxy of the environment.
    const proxy = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '' };
    const lower = { http_proxy: proxy.HTTP_PROXY, https_proxy: proxy.HTTPS_PROXY, no_proxy: '' };
    this.#child = spawn(command, args, { env: { ...process.env, ...proxy, ...lower } });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#lines.on('line', (line) => this.#waiting.shift()?.(line));
    this.#lines.on('close', () => {
      this.#hasEnded = true;
      for (const done of this.#waiting.splice(0)) done(null);
    });
  }

  async send(message: object): Promise<DriverReply> {
    if (this.#hasEnded) expect.fail(`The driver has ended: ${this.#stderr}`);
    const line = new Promise<string | null>((resolve) => this.#waiting.push(resolve));
    this.#child.stdin.write(toLine(message));
    return JSON.parse((await line) ?? expect.fail(`The driver ended: ${this.#stderr}`));
  }

  /** Ends the process. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await new Promise((resolve) => this.#child.once('close', resolve));
  }
}

/** Calls a client, and expects a result or an error. */
export class ClientDriver {
  readonly #transport: DriverTransport;

  constructor(transport: DriverTransport) {
    this.#transport = transport;
  }

  /** Replaces the client; returns how the language prints it and its options. */
  async open(options: ContractOptions): Promise<string> {
    const reply = await this.#transport.send({ open: options });
    if (reply.error !== undefined) throw new Error(reply.error.message);
    return reply.ok.shown;
  }

  /** The error of invalid options. */
  async openRefused(options: object): Promise<DriverError> {
    const reply = await this.#transport.send({ open: options });
    return reply.error ?? expect.fail(`The options were accepted: ${JSON.stringify(options)}`);
  }

  /** The result of a call; throws if it failed. */
  // biome-ignore lint/suspicious/noExplicitAny: results vary; a wrong path fails the test.
  async done(call: DriverCall): Promise<any> {
    const reply = await this.#transport.send(call);
    if (reply.error !== undefined) throw new Error(JSON.stringify(reply.error));
    return reply.ok;
  }

  /** The error of a call; throws if it succeeded. */
  async refused(call: DriverCall): Promise<DriverError> {
    const reply = await this.#transport.send(call);
    return reply.error ?? expect.fail(`${call.call} succeeded: ${JSON.stringify(reply.ok)}`);
  }

  end(): Promise<void> {
    return this.#transport.end();
  }
}
