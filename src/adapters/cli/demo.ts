import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../domain/model/errors.ts';
import type { JsonObject } from '../../domain/model/json.ts';
import { decodeBase58 } from '../../domain/model/text/byte-encodings.ts';
import { completePlatform } from '../../domain/payload/complete-platform.ts';
import type { Addition } from '../../domain/services/account-administration-service.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { findPreset } from '../venues/venue-files.ts';
import { listVenuePolicyNames } from '../venues/venue-policies.ts';
import type { VenuePreset } from '../venues/venue-schema.ts';
import type { CliContext, Environment, Installation, RunningInstallation } from './cli-context.ts';
import { defineCommand } from './define-command.ts';
import { getUsualData } from './platform/preset-text.ts';
import { readyMadePolicies } from './policy/ready-made-policies.ts';

/** Each with an account under a new key, and with the policy if the venue has it. */
const PRESETS = ['hyperliquid', 'pacifica', 'orderly', 'binance-ed25519', 'backpack'];
const POLICY = 'trade-only';
/** Its signature is verified: Ed25519 of a text, in base64. */
const VERIFIED = 'binance-ed25519';
/** Its withdrawal is denied. */
const GUARDED = 'backpack';

const ACCOUNT_ID = 'trader';

/** Name of the file in the demo's folder. */
const CHECKPOINT_FILE = 'checkpoint.json';

/** `demo`: runs a service on fresh keys in a temporary folder and prints calls to paste. */
export const DEMO = defineCommand({
  description: 'run a demo service with new keys and five platforms, and print requests to paste',
  manual: {
    notes: ['It uses its own files, in a temporary folder that is deleted on exit.'],
    settings: ['SIGNING_HOST', 'SIGNING_PORT'],
    exitCodes: { 0: 'stopped by a signal', 2: 'failed to start (see standard error)' },
    examples: ['demo'],
  },
  run: async (_, session) => {
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-demo-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    let service: RunningInstallation | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => void Promise.resolve(service?.stop()).then(() => process.exit(0)));
    }
    const environment = demoEnvironment(folder, session.environment);
    const installation = await session.open(environment);
    const accounts = await configure(installation).finally(() => installation.close());
    service = await start(session, environment);
    await saveCheckpoint(session, service.url, join(folder, CHECKPOINT_FILE));
    session.print(formatDemo(service.url, folder, accounts, process.argv[1] ?? 'dist/cli.js'));
  },
});

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

/** A preset, and the account of its platform. */
type DemoAccount = readonly [preset: VenuePreset, account: Addition['account']];

async function configure(installation: Installation): Promise<readonly DemoAccount[]> {
  await installation.initialise(null);
  const configuration = await installation.configuration();
  const administration = await installation.accounts();
  const accounts: DemoAccount[] = [];
  for (const preset of PRESETS.flatMap((name) => findPreset(name) ?? [])) {
    const platform = completePlatform({ platformId: preset.name, ...preset.platform });
    const policies = listVenuePolicyNames(preset).filter((name) => name === POLICY);
    await configuration.addPlatform(platform, readyMadePolicies(preset, policies, platform));
    const { platformId, algorithms } = platform;
    const [algorithm] = algorithms;
    if (algorithm === undefined) continue;
    const added = await administration.addAccounts([{ platformId, accountId: ACCOUNT_ID, algorithm }]);
    accounts.push(...added.map(({ account }) => [preset, account] as const));
  }
  return accounts;
}

/** Uses the default port, or a free one if it is taken. */
async function start(context: CliContext, environment: Environment): Promise<RunningInstallation> {
  try {
    return await (await context.open(environment)).start();
  } catch (error) {
    const isPortTaken = error instanceof Error && systemErrorCode(error.cause) === 'EADDRINUSE';
    if (environment['SIGNING_PORT'] !== undefined || !isPortTaken) throw error;
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

/**
 * The printed text: addresses, a call for each platform, verification, audit record.
 * @param cli path of the program
 */
function formatDemo(url: string, folder: string, accounts: readonly DemoAccount[], cli: string): string {
  const call = (platformId: string, data: JsonObject, query = '') =>
    `curl -sw '\\n' -X POST '${url}/api/v1/sign${query}' -H 'Content-Type: application/json' -d '${JSON.stringify({ platformId, accountId: ACCOUNT_ID, data })}'`;
  const calls = accounts.flatMap(([preset, { algorithm, publicKey }]) => {
    const { name, venue, policyRequests = [] } = preset;
    const data = getUsualData(preset);
    const order = `# ${venue}: an order, signed by ${algorithm}\n${call(name, data)}`;
    if (name === VERIFIED) {
      const verify = `${call(name, data, '?include=payload')} | node -e '${formatVerification(publicKey)}'`;
      return [order, `# the same with the signed text, whose signature node alone verifies\n${verify}`];
    }
    const withdrawal = policyRequests.find(({ kind, rule }) => kind === 'withdraw' && rule === undefined);
    if (name !== GUARDED || withdrawal === undefined) return [order];
    return [
      order,
      `# the same account, a withdrawal: denied by its policy ${name}-${POLICY}\n${call(name, withdrawal.data)}`,
    ];
  });
  return [
    `The signing service is running at ${url} with new keys in ${folder}.`,
    `Console:  ${url}/console\nStatus:   node ${cli} status --watch --url ${url}`,
    'Paste these calls into another terminal:',
    ...calls,
    `# list the accounts and their usage\ncurl -sw '\\n' ${url}/api/v1/accounts`,
    `# show the audit log, and verify it with the public key and a checkpoint of the start\nnode ${cli} audit tail --no-follow ${folder}/audit.jsonl\nnode ${cli} audit verify --public-key ${folder}/audit.key.pub --checkpoint ${folder}/${CHECKPOINT_FILE} ${folder}/audit.jsonl`,
    'Ctrl-C stops the service and deletes the folder.',
    '',
  ].join('\n\n');
}

/** A script that verifies a response with Node's crypto alone. */
function formatVerification(publicKey: string | null): string {
  const x = Buffer.from(decodeBase58(publicKey ?? '') ?? []).toString('base64url');
  return [
    'const{data}=JSON.parse(require("fs").readFileSync(0));',
    'const{createPublicKey,verify}=require("crypto");',
    `const key=createPublicKey({key:{kty:"OKP",crv:"Ed25519",x:"${x}"},format:"jwk"});`,
    'const ok=verify(null,Buffer.from(data.payload),key,Buffer.from(data.signature,"base64"));',
    'console.log(data.payload+"\\n"+(ok?"The signature verifies.":"THE SIGNATURE DOES NOT VERIFY."))',
  ].join('');
}
