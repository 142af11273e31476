import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import bs58 from 'bs58';
import { freePort } from '../../tests/programs/free-port.ts';
import { print } from '../run/print.ts';
import { Container } from './container.ts';
import type { ImageConfig } from './stage-root.ts';

const COMMAND = 'signing-service';
const CONFIGURE: readonly (readonly string[])[] = [
  ['init'],
  ['platform', 'add', '--platform', 'alpha', '--format', 'any'],
  ['account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519'],
];
const REQUEST = { platformId: 'alpha', accountId: 'main', data: { side: 'buy', amount: '1' } };

/**
 * Configures the service with the image's command, starts it with CMD, and uses it.
 * @returns issues
 */
export async function tryImage(root: string, config: ImageConfig, scratch: string): Promise<readonly string[]> {
  const volumes = join(scratch, 'volumes');
  mkdirSync(volumes);
  const runnable = { ...config, command: knownOptions(config.command), healthcheck: knownOptions(config.healthcheck) };
  // The image's own port may be taken: this container shares the machine's network.
  const port = String(await freePort());
  const environment = { SIGNING_PORT: port, SIGNING_DRAIN_DELAY_MS: '0' };
  const container = new Container(root, runnable, { volumes, environment });
  for (const args of CONFIGURE) {
    const { status, stderr } = container.run([COMMAND, ...args]);
    if (status !== 0) return [`${COMMAND} ${args.join(' ')} ended with ${status}: ${stderr}`];
  }
  container.makeReadOnly('/app/config');
  print(`configured with ${CONFIGURE.length} commands of the image`);

  const service = container.start();
  const ended = once(service, 'close');
  const output: string[] = [];
  service.stderr?.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const url = await listening(service.stdout, output);
  if (url === undefined) return [`CMD did not start: ${output.join('\n')}`];
  print(`started with CMD: ${runnable.command.join(' ')}`);

  const issues = [
    ...(await findWrongResponses(`http://127.0.0.1:${port}`)),
    ...checkProcess(service.pid ?? 0, config),
    ...runCommand(container, runnable.healthcheck, /^$/),
    ...runCommand(container, [COMMAND, 'doctor'], /\bnot dumpable\b/),
  ];
  service.kill(config.stopSignal as NodeJS.Signals);
  const [code] = await ended;
  print(`${config.stopSignal}: ended with ${code}`);
  return code === 0 ? issues : [...issues, `${config.stopSignal} ended it with ${code}`];
}

/** Node 20 lacks an option of the image. */
function knownOptions(command: readonly string[]): readonly string[] {
  const unknown = command.filter(
    (word) => word === '--disable-sigusr1' && !process.allowedNodeEnvironmentFlags.has(word),
  );
  if (unknown.length > 0) print(`not tried: ${unknown.join(' ')}, which node ${process.version} does not know`);
  return command.filter((word) => !unknown.includes(word));
}

async function listening(stdout: NodeJS.ReadableStream | null, output: string[]): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    output.push(line);
    if (line.includes('"message":"Listening."')) return line;
  }
  return undefined;
}

async function findWrongResponses(url: string): Promise<readonly string[]> {
  const issues: string[] = [];
  for (const path of ['/healthz', '/readyz', '/api/v1/status', '/metrics', '/openapi.json', '/docs']) {
    const { status } = await fetch(`${url}${path}`);
    print(`GET ${path}: ${status}`);
    if (status !== 200) issues.push(`GET ${path} was answered with ${status}`);
  }
  const response = await fetch(`${url}/api/v1/sign?include=payload`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(REQUEST),
  });
  const { data, error } = (await response.json()) as { readonly data?: Signed; readonly error?: object };
  const isRight = data !== undefined && isVerified(data);
  print(`POST /api/v1/sign: ${response.status}, the signature is ${isRight ? 'right' : 'wrong'}`);
  return isRight ? issues : [...issues, `POST /api/v1/sign was answered with ${JSON.stringify(error ?? data)}`];
}

interface Signed {
  readonly signature: string;
  readonly publicKey: string;
  readonly payload: string;
}

function isVerified({ signature, publicKey, payload }: Signed): boolean {
  const x = Buffer.from(bs58.decode(publicKey)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(payload), key, bs58.decode(signature));
}

/** proc(5): the folder has the process's user; its files belong to root if it is not dumpable. */
function checkProcess(pid: number, { user }: ImageConfig): readonly string[] {
  const runs = String(statSync(`/proc/${pid}`).uid);
  const memory = statSync(`/proc/${pid}/mem`).uid;
  print(`runs as user ${runs}; its memory belongs to user ${memory}`);
  const issues = runs === user.split(':')[0] ? [] : [`it runs as user ${runs}`];
  return memory === 0 ? issues : [...issues, `its memory belongs to user ${memory}`];
}

/** Runs a command beside the service, like HEALTHCHECK and `docker exec`. */
function runCommand(container: Container, command: readonly string[], expected: RegExp): readonly string[] {
  const { status, stdout, stderr } = container.run(command);
  print(`${command.join(' ')}: ended with ${status}`);
  for (const line of stdout.split('\n').filter((one) => /^\s*(?:warning|warn|fail)/i.test(one)))
    print(`  ${line.trim()}`);
  return status === 0 && expected.test(stdout) ? [] : [`${command.join(' ')} ended with ${status}: ${stdout}${stderr}`];
}
