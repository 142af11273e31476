import { Command } from 'commander';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse } from '../command-options.ts';

interface Options {
  readonly authorityKeyFile: string;
  readonly believe: boolean;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  settings: ['SIGNING_AUTH_AUTHORITIES_FILE'],
  examples: ['token authority --authority-key-file /media/offline/authority.key'],
};

/** `token authority`: creates an authority, whose tokens the service accepts. */
export function tokenAuthorityCommand(context: CliContext): Command {
  const command = new Command('authority')
    .description('create an authority, whose key signs access tokens')
    .requiredOption(
      '--authority-key-file <file>',
      'file to create for its key, mode 0600; the service does not need it',
    )
    .option('--no-believe', 'do not add its public key to SIGNING_AUTH_AUTHORITIES_FILE')
    .addOption(jsonOption())
    .action(async ({ authorityKeyFile, believe, json }: Options) => {
      const made = await withInstallation(context, async ({ tokens }) =>
        (await tokens()).createAuthority(authorityKeyFile, believe),
      );
      if (json) return printJson(context, made);
      const added =
        made.authoritiesFile === null
          ? 'nowhere; add it to SIGNING_AUTH_AUTHORITIES_FILE of each service that should trust it'
          : made.authoritiesFile;
      await printProse(
        context,
        `public key  ${made.publicKey}\nkey         ${made.keyFile}\nlisted in   ${added}\n\n` +
          'Keep the key off the machines of the service: it can issue tokens for any name.\n' +
          'Next: token issue --service, then token issue for each client (see --help).\n',
      );
    });
  return addManual(command, MANUAL);
}
