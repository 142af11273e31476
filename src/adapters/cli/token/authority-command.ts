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
    .description('make an authority: a key that signs access tokens')
    .requiredOption(
      '--authority-key-file <file>',
      'where its key goes: a new file, mode 0600, that the service never needs',
    )
    .option(
      '--no-believe',
      'print its public key, and leave the list of authorities (SIGNING_AUTH_AUTHORITIES_FILE) as it is',
    )
    .addOption(jsonOption())
    .action(async ({ authorityKeyFile, believe, json }: Options) => {
      const made = await withInstallation(context, async ({ tokens }) =>
        (await tokens()).createAuthority(authorityKeyFile, believe),
      );
      if (json) return printJson(context, made);
      const added =
        made.authoritiesFile === null
          ? 'nowhere; put it on the list of every service that is to believe it'
          : made.authoritiesFile;
      await printProse(
        context,
        `public key  ${made.publicKey}\nkey         ${made.keyFile}\nlisted in   ${added}\n\n` +
          'Keep the key off the machines that serve: whoever has it can issue a token in any name.\n' +
          'Next: token issue --service, then token issue for each client (see --help).\n',
      );
    });
  return addManual(command, MANUAL);
}
