import { Command } from 'commander';
import type { TokenInspection } from '../../../domain/model/authentication.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson } from '../command-options.ts';
import { readInput } from '../read-input.ts';

/** Well above the size of a message, bytes. */
const MAX_BYTES = 16_384;

const MANUAL: CommandManual = {
  notes: ['The file contains an access token, or the value of a Signing-Request-Auth header.'],
  settings: ['SIGNING_AUTH_AUTHORITIES_FILE'],
  exitCodes: {
    0: 'signed by a trusted authority (SIGNING_AUTH_AUTHORITIES_FILE) and not expired',
    2: 'not signed by a trusted authority, expired, or unreadable',
  },
  examples: ['token inspect desk-1.token', 'token inspect - --json < header.txt'],
};

/** `token inspect`: shows a token, and whether this service accepts it. */
export function tokenInspectCommand(context: CliContext): Command {
  const command = new Command('inspect')
    .description('show the content of an access token or a Signing-Request-Auth header')
    .argument('<file>', 'file with base64; - for standard input')
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: true }) => {
      const text = readInput(file, MAX_BYTES, file === '-').toString('latin1');
      const inspection = await withInstallation(context, async ({ tokens }) => (await tokens()).inspect(text));
      if (inspection.issuer === null || inspection.hasExpired) context.endAs('refused');
      if (json) return printJson(context, inspection);
      context.print(formatInspection(inspection));
    });
  return addManual(command, MANUAL);
}

function formatInspection({
  message,
  username,
  publicKey,
  expirationTime,
  hasExpired,
  issuer,
  request,
}: TokenInspection): string {
  const lines = [
    `message     ${message}`,
    `username    ${username}`,
    `public key  ${publicKey}`,
    `expires     ${expirationTime}${hasExpired ? ' (expired)' : ''}`,
    `authority   ${issuer ?? 'not trusted (SIGNING_AUTH_AUTHORITIES_FILE)'}`,
  ];
  if (request === null) return `${lines.join('\n')}\n`;
  const { servicePublicKey, time, nonce } = request;
  return `${[...lines, `service     ${servicePublicKey}`, `time        ${time ?? 'none'}`, `nonce       ${nonce}`].join('\n')}\n`;
}
