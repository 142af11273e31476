import { closeSync, openSync, readSync } from 'node:fs';
import { Command } from 'commander';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { TokenInspection } from '../../../domain/model/token-issuance.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { jsonOption, printJson } from './command-parts.ts';

/** Far more than any message has. Bytes. */
const MAX_BYTES = 16_384;

const STANDARD_INPUT = 0;

const MANUAL: CommandManual = {
  notes: ['The file holds base64: an access token, or the value of a Signing-Request-Auth header.'],
  settings: ['SIGNING_AUTH_AUTHORITIES_FILE'],
  exitCodes: {
    0: 'an authority of SIGNING_AUTH_AUTHORITIES_FILE signed the token, and it has not expired',
    2: 'no such authority signed it, it has expired, or it can not be read',
  },
  examples: ['token inspect desk-1.token', 'token inspect - --json < header.txt'],
};

/** `token inspect`: shows what stands in a token, and whether this service would believe it. */
export function tokenInspectCommand(context: CliContext): Command {
  const command = new Command('inspect')
    .description('show what stands in an access token or a Signing-Request-Auth header')
    .argument('<file>', 'where it is; - for standard input')
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: true }) => {
      const text = readText(file);
      const found = await withInstallation(context, async ({ tokens }) => (await tokens()).inspect(text));
      if (found.issuer === null || found.hasExpired) context.endAsRefused();
      if (json) return printJson(context, found);
      context.print(textOf(found));
    });
  return withManual(command, MANUAL);
}

/** The beginning of a file: what is longer is no token. */
function readText(file: string): string {
  try {
    return readBeginning(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new EditRefusedError(`${file} can not be read${code}. Check the path.`, { cause: error });
  }
}

function readBeginning(file: string): string {
  const descriptor = file === '-' ? STANDARD_INPUT : openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    let length = 0;
    let count = -1;
    while (count !== 0 && length < MAX_BYTES) {
      count = readSync(descriptor, bytes, length, MAX_BYTES - length, null);
      length += count;
    }
    return bytes.toString('latin1', 0, length);
  } finally {
    if (descriptor !== STANDARD_INPUT) closeSync(descriptor);
  }
}

function textOf({
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
    `authority   ${issuer ?? 'none of SIGNING_AUTH_AUTHORITIES_FILE'}`,
  ];
  if (request === null) return `${lines.join('\n')}\n`;
  const { servicePublicKey, time, nonce } = request;
  return `${[...lines, `service     ${servicePublicKey}`, `time        ${time ?? 'none'}`, `nonce       ${nonce}`].join('\n')}\n`;
}
