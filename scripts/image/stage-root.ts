import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { print } from '../run/print.ts';
import type { Stage, Step } from './dockerfile-steps.ts';

/** Configuration of a container, from the steps without files. */
export interface ImageConfig {
  readonly environment: { readonly [name: string]: string };
  readonly labels: { readonly [name: string]: string };
  readonly workdir: string;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly port: string;
  readonly stopSignal: string;
  readonly healthcheck: readonly string[];
  readonly command: readonly string[];
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Variables that installers need, passed to RUN. */
const PASSED_ON =
  /^(?:https?_proxy|no_proxy|npm_config_(?:registry|cache|cafile|userconfig)|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|HOME)$/i;

/** File system of a build stage, owned by root, in which the Dockerfile's steps are executed. */
export class StageRoot {
  readonly folder: string;
  readonly #context: string;
  readonly #values: { readonly [name: string]: string };
  #arguments: { readonly [name: string]: string } = {};
  #config: ImageConfig = {
    environment: { PATH: DEFAULT_PATH },
    labels: {},
    workdir: '/',
    user: '0:0',
    volumes: [],
    port: '',
    stopSignal: 'SIGTERM',
    healthcheck: [],
    command: [],
  };

  /**
   * @param folder the stage's file system, initially its base's
   * @param context the build context
   * @param values as `--build-arg`
   */
  constructor(folder: string, context: string, values: { readonly [name: string]: string }) {
    this.folder = folder;
    this.#context = context;
    this.#values = values;
  }

  /**
   * @param others earlier stages by name
   * @throws Error naming the line of a failed step
   */
  build({ steps }: Stage, others: ReadonlyMap<string, StageRoot>): ImageConfig {
    for (const step of steps) {
      const started = performance.now();
      this.#take(step, others);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      print(`  line ${String(step.line).padStart(3)}  ${seconds.padStart(5)} s  ${formatStep(step)}`);
    }
    return this.#config;
  }

  #take(step: Step, others: ReadonlyMap<string, StageRoot>): void {
    const { keyword } = step;
    if (keyword === 'RUN') this.#run(step);
    else if (keyword === 'COPY') this.#copy(step, others);
    else if (keyword === 'ARG') this.#declare(step.properties);
    else if (keyword === 'WORKDIR') this.#enter(step.text);
    else this.#config = { ...this.#config, ...this.#configure(step) };
  }

  /** The configuration that a step sets. */
  #configure({ keyword, text, words, properties, line }: Step): Partial<ImageConfig> {
    const { environment, labels } = this.#config;
    const values = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, this.#replaced(value)]));
    switch (keyword) {
      case 'ENV':
        return { environment: { ...environment, ...values } };
      case 'LABEL':
        return { labels: { ...labels, ...values } };
      case 'USER':
        return { user: text };
      case 'VOLUME':
        return { volumes: words ?? text.split(' ') };
      case 'EXPOSE':
        return { port: text };
      case 'STOPSIGNAL':
        return { stopSignal: text };
      case 'HEALTHCHECK':
        return { healthcheck: words ?? [] };
      case 'CMD':
        return { command: words ?? [] };
      default:
        throw new Error(`line ${line}: ${keyword} is not understood here.`);
    }
  }

  #replaced(value: string | null): string {
    const known: { readonly [name: string]: string } = { ...this.#arguments, ...this.#config.environment };
    return (value ?? '').replace(/\$\{(\w+)\}/g, (_, name: string) => known[name] ?? '');
  }

  #declare(properties: { readonly [name: string]: string | null }): void {
    const values = Object.entries(properties).map(([name, value]) => [name, this.#values[name] ?? value ?? '']);
    this.#arguments = { ...this.#arguments, ...Object.fromEntries(values) };
  }

  #enter(folder: string): void {
    const workdir = posix.resolve(this.#config.workdir, folder);
    mkdirSync(join(this.folder, workdir), { recursive: true, mode: 0o755 });
    this.#config = { ...this.#config, workdir };
  }

  #run({ text, line }: Step): void {
    const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
    const environment = { ...Object.fromEntries(passed), ...this.#arguments, ...this.#config.environment };
    const shell = ['/bin/sh', '-c', 'cd "$0" && exec /bin/sh -c "$1"', this.#config.workdir, text];
    const { status, stdout, stderr, error } = spawnSync('/usr/sbin/chroot', [this.folder, ...shell], {
      env: environment,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`line ${line}: RUN ended with ${status}:\n${stdout}\n${stderr}`);
  }

  #copy({ flags, text, line }: Step, others: ReadonlyMap<string, StageRoot>): void {
    const paths = text.split(' ').filter((path) => path !== '');
    const target = paths.at(-1) ?? '';
    const from = flags['from'] === undefined ? undefined : others.get(flags['from']);
    if (flags['from'] !== undefined && from === undefined) throw new Error(`line ${line}: no stage ${flags['from']}`);
    const into = join(this.folder, posix.resolve(this.#config.workdir, target));
    for (const source of paths.slice(0, -1)) {
      if (from === undefined && !buildContext(this.#context).includes(source)) {
        throw new Error(`line ${line}: ${source} is not in the context of the build.`);
      }
      copyAs(join(from?.folder ?? this.#context, source), into, target.endsWith('/'), flags['chown'] ?? '0:0');
    }
  }
}

/** COPY: the content of a folder with a new owner; existing folders stay. */
function copyAs(source: string, target: string, isFolder: boolean, owner: string): void {
  const isTree = lstatSync(source).isDirectory();
  const copies = isTree ? readdirSync(source).map((name) => [join(source, name), join(target, name)]) : [];
  if (!isTree) copies.push([source, isFolder ? join(target, basename(source)) : target]);
  for (const [from = '', to = ''] of copies) {
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
    execFileSync('cp', ['--archive', '--no-target-directory', from, to]);
    execFileSync('chown', ['--recursive', '--no-dereference', owner, to]);
  }
}

function formatStep({ keyword, flags, text }: Step): string {
  const options = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const whole = [keyword, ...options, text.replace(/ {2,}/g, ' ')].join(' ');
  return whole.length > 110 ? `${whole.slice(0, 109)}…` : whole;
}

/**
 * Names that `.dockerignore` admits to the build: plain names, `*` and `!name`; the last match
 * counts.
 * @throws Error for other patterns
 */
export function buildContext(folder: string): readonly string[] {
  const file = join(folder, '.dockerignore');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const patterns = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const odd = patterns.find((pattern) => pattern !== '*' && !/^!?[\w.][\w.-]*$/.test(pattern));
  if (odd !== undefined) throw new Error(`.dockerignore has a pattern that is not understood here: ${odd}`);
  return readdirSync(folder).filter((name) => !isIgnored(name, patterns));
}

function isIgnored(name: string, patterns: readonly string[]): boolean {
  const last = patterns.findLast((pattern) => pattern === '*' || pattern.replace('!', '') === name);
  return last !== undefined && !last.startsWith('!');
}
