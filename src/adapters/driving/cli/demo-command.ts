import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import {
  type CliContext,
  type Environment,
  type Installation,
  type RunningInstallation,
  withInstallation,
} from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { DEMO_ACCOUNT_ID, DEMO_PLATFORMS, type DemoAccount } from './demo-platforms.ts';
import { demoText } from './demo-text.ts';

const MANUAL: CommandManual = {
  notes: ['It leaves your files alone: everything lies in the folder, which goes when it ends.'],
  settings: ['SIGNING_HOST', 'SIGNING_PORT'],
  exitCodes: { 0: 'it was stopped by a signal', 2: 'it did not start; standard error says why' },
  examples: ['demo'],
};

/** `demo`: a working service on fresh keys in a temporary folder, with calls to paste. */
export function demoCommand(context: CliContext): Command {
  const command = new Command('demo')
    .description('run a demonstration: fresh keys in a temporary folder, four platforms, calls to paste')
    .action(() => runDemo(context));
  return withManual(command, MANUAL);
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
  context.print(demoText(service.url, folder, accounts, process.argv[1] ?? 'dist/cli.js'));
}

/** Everything lies in the folder; of the operator's own settings only host and port count. */
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
  await installation.initialise();
  const accounts: DemoAccount[] = [];
  for (const demo of DEMO_PLATFORMS) {
    const { platformId } = demo.platform;
    await installation.administration.addPlatform(demo.platform);
    const account = await installation.administration.addAccount({
      platformId,
      accountId: DEMO_ACCOUNT_ID,
      algorithm: demo.algorithm,
      origin: { kind: 'generate' },
    });
    accounts.push({ demo, account });
  }
  return accounts;
}

/** Starts on the usual port, or on a free one when that is taken and the operator did not ask for it. */
async function startDemo(context: CliContext, environment: Environment): Promise<RunningInstallation> {
  try {
    return await (await context.open(environment)).start();
  } catch (error) {
    if (environment['SIGNING_PORT'] !== undefined || !isPortTaken(error)) throw error;
    return (await context.open({ ...environment, SIGNING_PORT: '0' })).start();
  }
}

function isPortTaken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}
