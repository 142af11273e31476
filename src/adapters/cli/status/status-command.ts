import { Command, Option } from 'commander';
import { ServiceUnavailableError } from '../../../domain/model/errors.ts';
import type { CliContext } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson } from '../command-options.ts';
import type { StatusCall } from './status-source.ts';

const MANUAL: CommandManual = {
  notes: [
    "Without --url it calls the operators' port of the settings, else the main port, with https if the settings have TLS, and trusts the certificate in SIGNING_TLS_CERT_FILE. With --url it reads no settings: use it for another machine.",
    'The caller needs the permission `status`. --cert and --key identify it by a client certificate, --token and its companions by an access token of SIGNING_AUTH.',
    'With --watch it runs until Ctrl-C: on a terminal it redraws the page every 2 s, elsewhere it prints a line every 2 s. While the service is away, it is shown as unreachable.',
    'Rates, refusals and records are those of the process that responds: behind a load balancer, call each replica.',
  ],
  settings: [
    'SIGNING_ADMIN_HOST',
    'SIGNING_ADMIN_PORT',
    'SIGNING_HOST',
    'SIGNING_PORT',
    'SIGNING_TLS_CERT_FILE',
    'SIGNING_TLS_KEY_FILE',
  ],
  exitCodes: {
    0: 'the service is ready; with --watch, stopped by Ctrl-C',
    2: 'an option, setting or file is invalid',
    4: 'the service responds, but is not ready',
    5: 'no status: the service cannot be reached, or refuses',
  },
  examples: [
    'status',
    'status --watch',
    'status --url https://signer-1.internal:8081 --ca ca.pem --cert operator.pem --key operator.key',
    'status --json | jq .status.audit.head',
  ],
};

interface Options extends StatusCall {
  readonly watch?: true;
  readonly json?: true;
}

/** `status`: shows the state of a running service. */
export function statusCommand(context: CliContext): Command {
  const command = new Command('status')
    .description('show the state of a running service')
    .option('--watch', 'update until Ctrl-C')
    .option('--url <url>', 'address of the service (default: from the settings)')
    .option('--ca <file>', 'CA certificate of the service, PEM (default: with --url those of Node)')
    .option('--cert <file>', 'client certificate, PEM')
    .option('--key <file>', 'its private key, PEM')
    .option('--token <file>', 'access token of the caller')
    .option('--token-key <file>', 'its private key')
    .option('--service-key <key>', 'public key of the service, base58 or hex; with --token')
    .option('--authority <key>', 'public key of a trusted authority, with --token; repeatable', collect)
    .addOption(new Option('--json', jsonOption().description).conflicts('watch'))
    .action((options: Options) => runStatus(context, options));
  return addManual(command, MANUAL);
}

async function runStatus(context: CliContext, { watch, json, ...call }: Options): Promise<void> {
  const source = await context.openStatusSource(context.environment, call);
  try {
    if (watch) await runWatch(context, source);
    else await printStatus(context, source, json === true);
  } finally {
    source.close();
  }
}

async function runWatch(context: CliContext, source: Source): Promise<void> {
  const [{ watchStatus }, { isAsciiTerminal }] = await Promise.all([
    import('./watch-status.ts'),
    import('./sparkline.ts'),
  ]);
  await watchStatus(source, context.openLiveOutput(), { ascii: isAsciiTerminal(context.environment) });
}

type Source = Awaited<ReturnType<CliContext['openStatusSource']>>;

async function printStatus(context: CliContext, source: Source, json: boolean): Promise<void> {
  const reading = await source.read();
  if (json) printJson(context, reading);
  else if (reading.ready !== null || reading.status !== null) {
    const [{ formatReading }, { isAsciiTerminal }] = await Promise.all([
      import('./status-report.ts'),
      import('./sparkline.ts'),
    ]);
    const ascii = isAsciiTerminal(context.environment);
    context.print(formatReading(reading, { terminal: context.output, ascii }));
  }
  const { problem, ready } = reading;
  if (problem !== null) throw new ServiceUnavailableError(problem.message, problem.kind === 'not-ready');
  if (ready !== true) context.endAs('notReady');
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
