import { Command, InvalidArgumentError } from 'commander';
import type { IssuedToken, TokenSpec, TokenSubject } from '../../../domain/model/authentication.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, TOKEN_SETTINGS } from '../command-options.ts';

interface Options {
  readonly username?: string;
  readonly expiresIn?: number;
  readonly expires?: string;
  readonly authorityKeyFile: string;
  readonly publicKey?: string;
  readonly publicKeyFile?: string;
  readonly newKeyFile?: string;
  readonly service?: true;
  readonly out?: string;
  readonly json?: true;
}

const UNIT_MS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Ten years. */
const MAX_MS = 3660 * 86_400_000;

/** Default name of the service's token. */
const SERVICE_NAME = 'signing-service';

const MANUAL: CommandManual = {
  notes: [
    'Generate the key of a client on the machine that uses it, and pass only its public half. --public-key-file accepts base58, 64 hex digits, or the PEM of `openssl pkey -pubout`. A file that only its owner can read is rejected unless it is marked as a public key, because 64 hex digits may be a private key. --new-key-file writes an Ed25519 seed as 64 hex digits.',
    'A token is not a secret: it cannot be used without its key. It cannot be revoked, so keep its lifetime short.',
  ],
  settings: TOKEN_SETTINGS,
  examples: [
    'token issue --service --expires-in 365d --authority-key-file authority.key',
    'token issue --username desk-1 --expires-in 90d --authority-key-file authority.key --public-key-file desk-1.pub',
    'token issue --username desk-2 --expires-in 90d --authority-key-file authority.key --new-key-file desk-2.key --out desk-2.token',
  ],
};

/** `token issue`: signs an access token for a client, or for the service itself. */
export function tokenIssueCommand(context: CliContext): Command {
  const command = new Command('issue')
    .description('issue an access token to a client or to this service')
    .requiredOption('--authority-key-file <file>', 'file with the key of the authority')
    .option('--username <name>', `principal of the requests (default with --service: ${SERVICE_NAME})`)
    .option('--expires-in <time>', 'lifetime, such as 90d, 12h or 30m', parseDuration)
    .option('--expires <time>', 'expiry time, such as 2027-01-31T00:00:00Z')
    .option('--public-key <text>', 'Ed25519 public key of the client, base58 or 64 hex digits')
    .option('--public-key-file <file>', 'file with that public key, also as PEM')
    .option('--new-key-file <file>', 'generate a key for the client and write it to this new file, mode 0600')
    .option(
      '--service',
      'issue the token of this service: create its key if missing and replace its token; the service must trust the authority',
    )
    .option('--out <file>', 'write the token to this new file')
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const spec = toSpec(options);
      if (typeof spec === 'string') return command.error(`error: ${spec}`);
      const issued = await withInstallation(context, async ({ tokens }) => (await tokens()).issue(spec));
      if (options.json) return printJson(context, issued);
      context.print(formatIssued(issued));
    });
  return addManual(command, MANUAL);
}

/** The token to issue, or an issue of the options. */
function toSpec(options: Options): TokenSpec | string {
  const { expiresIn, expires, authorityKeyFile, service, out } = options;
  const subjects = listSubjects(options);
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1) {
    return 'exactly one of --public-key, --public-key-file, --new-key-file and --service is required';
  }
  if ((expiresIn === undefined) === (expires === undefined))
    return 'exactly one of --expires-in and --expires is required';
  if (service && out !== undefined)
    return '--out cannot be combined with --service, which writes the token to SIGNING_AUTH_TOKEN_FILE';
  const username = options.username ?? (service ? SERVICE_NAME : undefined);
  if (username === undefined) return '--username is required';
  const validity = expiresIn === undefined ? { until: expires ?? '' } : { forMs: expiresIn };
  return { username, validity, authorityKeyFile, subject, outFile: out ?? null };
}

function listSubjects({ publicKey, publicKeyFile, newKeyFile, service }: Options): readonly TokenSubject[] {
  return [
    ...(publicKey === undefined ? [] : [{ kind: 'public-key', text: publicKey } as const]),
    ...(publicKeyFile === undefined ? [] : [{ kind: 'public-key-file', file: publicKeyFile } as const]),
    ...(newKeyFile === undefined ? [] : [{ kind: 'new-key-file', file: newKeyFile } as const]),
    ...(service ? [{ kind: 'service' } as const] : []),
  ];
}

function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,6})([mhd])$/.exec(text) ?? [];
  const time = Number(count) * (UNIT_MS[unit] ?? 0);
  if (time > 0 && time <= MAX_MS) return time;
  throw new InvalidArgumentError(
    'It must be a number of minutes, hours or days up to ten years, such as 30m, 12h or 90d.',
  );
}

/** Prints the token alone unless it goes to a file, for pipes. */
function formatIssued({
  token,
  username,
  publicKey,
  expirationTime,
  keyFile,
  isNewKey,
  tokenFile,
  isBelieved,
}: IssuedToken): string {
  if (tokenFile === null) return `${token}\n`;
  const lines = [
    `username    ${username}`,
    `public key  ${publicKey}`,
    `expires     ${expirationTime}`,
    ...(keyFile === null ? [] : [`key         ${keyFile}${isNewKey ? ' (new)' : ''}`]),
    `token       ${tokenFile}`,
  ];
  const warning = isBelieved
    ? ''
    : '\nwarning: this service does not trust the authority (SIGNING_AUTH_AUTHORITIES_FILE).\n';
  return `${lines.join('\n')}\n${warning}`;
}
