import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { AccountProfile } from '../../domain/model/account.ts';
import type { Algorithm } from '../../domain/model/algorithm.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { JsonObject } from '../../domain/model/json.ts';
import type { PolicyEntry } from '../../domain/model/policy.ts';
import { decodeBase58 } from '../../domain/model/text/byte-encodings.ts';
import { type ConfiguredPlatform, completePlatform } from '../../domain/payload/complete-platform.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { findPreset } from '../venues/venue-files.ts';
import { toVenuePolicy } from '../venues/venue-policies.ts';
import {
  type CliContext,
  type Environment,
  type Installation,
  type RunningInstallation,
  withInstallation,
} from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';

/** A demonstration platform: a format of the specification with sample data. */
export interface DemoPlatform {
  readonly platform: ConfiguredPlatform;
  readonly algorithm: Algorithm;
  /** One line. */
  readonly explanation: string;
  readonly data: (now: Date) => JsonObject;
  /** A policy of its account, and data that it denies. */
  readonly policy?: { readonly entry: () => PolicyEntry | undefined; readonly denied: (now: Date) => JsonObject };
}

/** A platform and its account. */
export interface DemoAccount {
  readonly demo: DemoPlatform;
  readonly account: AccountProfile;
}

/** The account of each platform. */
export const DEMO_ACCOUNT_ID = 'trader';

const OKX_TEMPLATE = { template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'iso' } as const;

function demoPolicy(): PolicyEntry | undefined {
  const preset = findPreset('okx');
  return preset && toVenuePolicy(preset, 'trade-only', 'demo-okx', [])?.entry;
}

/** One platform per format, and one whose account has a policy. */
export const DEMO_PLATFORMS: readonly DemoPlatform[] = [
  {
    platform: { platformId: 'demo-a', format: 'A' },
    algorithm: 'ed25519',
    explanation: 'format A, ed25519, base58: canonical JSON (RFC 8785) of the data',
    data: (now) => ({
      instruction: { type: 'limit', market: 'SOL-PERP', side: 'buy', amount: '10', price: '142.5' },
      nonce: now.getTime(),
    }),
  },
  {
    platform: { platformId: 'demo-b', format: 'B' },
    algorithm: 'eip191',
    explanation: 'format B, EIP-191, 0x-hex: canonical JSON of data.message, with the personal_sign prefix',
    data: (now) => ({
      message: { action: 'order', symbol: 'ETH-USD', price: '3150.00', quantity: '0.5', timestamp: now.getTime() },
    }),
  },
  {
    platform: { platformId: 'demo-c', format: 'C', algorithms: ['ed25519'], encoding: 'base64' },
    algorithm: 'ed25519',
    explanation: 'format C, ed25519, base64: the query string of data.params',
    data: (now) => ({
      method: 'POST',
      endpoint: '/api/v3/order',
      params: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '0.001',
        price: '64000',
        timestamp: now.getTime(),
      },
    }),
  },
  {
    platform: { platformId: 'demo-d', format: 'D', algorithms: ['ed25519'], encoding: 'base64url' },
    algorithm: 'ed25519',
    explanation: 'format D, ed25519, base64url: timestamp, method, path and body, concatenated',
    data: (now) => ({
      method: 'POST',
      path: '/api/v5/trade/order',
      body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '0.001', px: '64000' },
      timestamp: now.toISOString(),
    }),
  },
  {
    platform: {
      platformId: 'demo-okx',
      format: 'any',
      algorithms: ['ed25519'],
      encoding: 'base64',
      payload: { rule: 'prehash', ...OKX_TEMPLATE },
    },
    algorithm: 'ed25519',
    explanation: 'OKX order, under the policy demo-okx-trade-only: allowed',
    data: (now) => ({
      timestamp: now.toISOString(),
      method: 'POST',
      path: '/api/v5/trade/order',
      body: { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', sz: '0.001', px: '64000' },
    }),
    policy: {
      entry: demoPolicy,
      denied: (now) => ({
        timestamp: now.toISOString(),
        method: 'POST',
        path: '/api/v5/asset/withdrawal',
        body: { ccy: 'USDT', amt: '1000', dest: '4', toAddr: 'TXvzN1', chain: 'USDT-TRC20' },
      }),
    },
  },
];

/** Name of the file in the demo's folder. */
const CHECKPOINT_FILE = 'checkpoint.json';

/**
 * The printed text: addresses, a call for each platform, verification, audit record.
 * @param cli path of the program
 */
export function formatDemo(url: string, folder: string, accounts: readonly DemoAccount[], cli: string): string {
  const now = new Date();
  const endpoint = `${url}/api/v1/sign`;
  const calls = accounts.map(
    ({ demo, account }) => `# ${demo.explanation}\n${formatCall(endpoint, account.platformId, demo.data(now))}`,
  );
  const denials = accounts.flatMap(({ demo: { policy }, account }) =>
    policy === undefined
      ? []
      : [`# the same account, a withdrawal: denied\n${formatCall(endpoint, account.platformId, policy.denied(now))}`],
  );
  return [
    `The signing service is running at ${url} with new keys in ${folder}.`,
    `Console:  ${url}/console\nStatus:   node ${cli} status --watch --url ${url}`,
    'Paste these calls into another terminal:',
    ...calls,
    ...denials,
    ...accounts
      .filter(({ demo }) => demo.platform.platformId === 'demo-c')
      .map((account) => formatVerification(url, account, now)),
    `# list the accounts and their usage\ncurl -sw '\\n' ${url}/api/v1/accounts`,
    `# show the audit log, and verify it with the public key and a checkpoint of the start\nnode ${cli} audit tail --no-follow ${folder}/audit.jsonl\nnode ${cli} audit verify --public-key ${folder}/audit.key.pub --checkpoint ${folder}/${CHECKPOINT_FILE} ${folder}/audit.jsonl`,
    'Ctrl-C stops the service and deletes the folder.',
    '',
  ].join('\n\n');
}

function formatCall(endpoint: string, platformId: string, data: object): string {
  const body = JSON.stringify({ platformId, accountId: DEMO_ACCOUNT_ID, data });
  return `curl -sw '\\n' -X POST '${endpoint}' -H 'Content-Type: application/json' -d '${body}'`;
}

/** Signs, and verifies with Node's crypto alone. */
function formatVerification(url: string, { demo, account }: DemoAccount, now: Date): string {
  const x = Buffer.from(decodeBase58(account.publicKey) ?? []).toString('base64url');
  const script = [
    'const{data}=JSON.parse(require("fs").readFileSync(0));',
    'const{createPublicKey,verify}=require("crypto");',
    `const key=createPublicKey({key:{kty:"OKP",crv:"Ed25519",x:"${x}"},format:"jwk"});`,
    'const ok=verify(null,Buffer.from(data.payload),key,Buffer.from(data.signature,"base64"));',
    'console.log(data.payload+"\\n"+(ok?"The signature verifies.":"THE SIGNATURE DOES NOT VERIFY."))',
  ].join('');
  const call = formatCall(`${url}/api/v1/sign?include=payload`, account.platformId, demo.data(now));
  return `# sign, with the payload in the response, and verify the signature with node alone\n${call} | node -e '${script}'`;
}

const MANUAL: CommandManual = {
  notes: ['It uses its own files, in a temporary folder that is deleted on exit.'],
  settings: ['SIGNING_HOST', 'SIGNING_PORT'],
  exitCodes: { 0: 'stopped by a signal', 2: 'failed to start (see standard error)' },
  examples: ['demo'],
};

/** `demo`: runs a service on fresh keys in a temporary folder and prints calls to paste. */
export function demoCommand(context: CliContext): Command {
  const command = new Command('demo')
    .description('run a demo service with new keys and five platforms, and print requests to paste')
    .action(() => runDemo(context));
  return addManual(command, MANUAL);
}

async function runDemo(context: CliContext): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  let service: RunningInstallation | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void Promise.resolve(service?.stop()).then(() => process.exit(0)));
  }

  const environment = demoEnvironment(folder, context.environment);
  const accounts = await withInstallation({ ...context, environment }, configureDemo);
  service = await startDemo(context, environment);
  await saveCheckpoint(context, service.url, join(folder, CHECKPOINT_FILE));
  context.print(formatDemo(service.url, folder, accounts, process.argv[1] ?? 'dist/cli.js'));
}

/** Applies only host and port of the operator's settings. */
function demoEnvironment(folder: string, { SIGNING_HOST, SIGNING_PORT }: Environment): Environment {
  return {
    SIGNING_HOST,
    SIGNING_PORT,
    SIGNING_CREDENTIALS_FILE: join(folder, 'credentials.json'),
    SIGNING_MASTER_KEY_FILE: join(folder, 'master.key'),
    SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
    SIGNING_AUDIT_KEY_FILE: join(folder, 'audit.key'),
    SIGNING_LOG_LEVEL: 'warn',
  };
}

async function configureDemo(installation: Installation): Promise<readonly DemoAccount[]> {
  await installation.initialise(null);
  const platforms = await installation.configuration();
  const administration = await installation.accounts();
  const accounts: DemoAccount[] = [];
  for (const demo of DEMO_PLATFORMS) {
    const { platformId } = demo.platform;
    const policy = demo.policy?.entry();
    const policies = policy === undefined ? [] : [policy];
    await platforms.addPlatform(completePlatform(demo.platform), policies);
    const account = await administration.addAccount({
      platformId,
      accountId: DEMO_ACCOUNT_ID,
      algorithm: demo.algorithm,
      origin: { kind: 'generate' },
    });
    accounts.push({ demo, account });
  }
  return accounts;
}

/** Uses the default port, or a free one if it is taken. */
async function startDemo(context: CliContext, environment: Environment): Promise<RunningInstallation> {
  try {
    return await (await context.open(environment)).start();
  } catch (error) {
    if (environment['SIGNING_PORT'] !== undefined || !isPortTaken(error)) throw error;
    return (await context.open({ ...environment, SIGNING_PORT: '0' })).start();
  }
}

/** Saves the checkpoint of the start, as an operator would on another machine. */
async function saveCheckpoint(context: CliContext, url: string, file: string): Promise<void> {
  const source = await context.openStatusSource(context.environment, { url });
  const { status, problem } = await source.read();
  source.close();
  if (problem !== null) throw new OperatorError(problem.message);
  writeFileSync(file, `${JSON.stringify(status?.['audit'])}\n`);
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && systemErrorCode(error.cause) === 'EADDRINUSE';
}
