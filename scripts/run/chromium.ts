/** Controls a headless Chromium through two pipes (Chrome DevTools Protocol). */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Names by distribution. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

const OPTIONS = [
  '--headless',
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--hide-scrollbars',
  '--no-first-run',
  '--no-default-browser-check',
  // Containers seldom permit its sandbox; it opens only this service's pages.
  '--no-sandbox',
];

/** Timeout of a command, milliseconds. */
const COMMAND_MS = 15_000;

/** Result of a command, or parameters of an event. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of shapes.
type ProtocolValue = any;

/** The first Chromium on PATH; null where there is none. */
export function findChromium(): string | null {
  return PROGRAMS.find((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0) ?? null;
}

/** A browser with one page. */
export class Chromium {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #folder: string;
  readonly #waiting = new Map<number, { resolve: (result: ProtocolValue) => void; reject: (error: Error) => void }>();
  readonly #listeners: ((method: string, params: ProtocolValue) => void)[] = [];
  #session: string | undefined;
  #lastId = 0;

  private constructor(program: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'signing-service-chromium-'));
    this.#child = spawn(program, [...OPTIONS, `--user-data-dir=${this.#folder}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#input = this.#child.stdio[3] as Writable;
    this.#input.on('error', () => undefined);
    this.#read(this.#child.stdio[4] as Readable);
    this.#child.once('exit', () => this.#fail(new Error('Chromium ended.')));
  }

  /** Starts a browser with an empty page. */
  static async start(program: string): Promise<Chromium> {
    const browser = new Chromium(program);
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    browser.#session = sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Audits']) await browser.send(`${domain}.enable`);
    return browser;
  }

  /** Subscribes to all events. */
  onEvent(listener: (method: string, params: ProtocolValue) => void): void {
    this.#listeners.push(listener);
  }

  /** Sends a command. */
  send(method: string, params: object = {}): Promise<ProtocolValue> {
    this.#lastId += 1;
    const id = this.#lastId;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    this.#input.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} was not answered.`)), COMMAND_MS);
      const end = () => {
        clearTimeout(late);
        this.#waiting.delete(id);
      };
      this.#waiting.set(id, {
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
    });
  }

  /** Sets size in CSS pixels and preferred colour scheme. */
  async emulate(width: number, height: number, colours: 'light' | 'dark'): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    const features = [{ name: 'prefers-color-scheme', value: colours }];
    await this.send('Emulation.setEmulatedMedia', { media: 'screen', features });
  }

  /** Resolves when the page is loaded. */
  async open(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => {
      this.onEvent((method) => {
        if (method === 'Page.loadEventFired') resolve();
      });
    });
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  /** Evaluates an expression; the result is JSON. */
  async evaluate(expression: string): Promise<ProtocolValue> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  /** Ends the browser and removes its folder. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#killAll();
      await ended;
    }
    // Child processes still write for a moment.
    for (let left = 50; ; left -= 1) {
      try {
        return rmSync(this.#folder, { recursive: true, force: true });
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** It leads a process group. */
  #killAll(): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
  }

  #read(output: Readable): void {
    let text = '';
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = `${text}${chunk}`.split('\0');
      text = messages.pop() ?? '';
      for (const message of messages) this.#take(JSON.parse(message));
    });
  }

  #take({ id, result, error, method, params }: ProtocolValue): void {
    if (id === undefined) {
      for (const listener of this.#listeners) listener(method, params);
      return;
    }
    const waiting = this.#waiting.get(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }

  #fail(error: Error): void {
    for (const { reject } of [...this.#waiting.values()]) reject(error);
  }
}
