import { Command, Option } from 'commander';
import { ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { DATA_FORMATS } from '../../../domain/model/data-format.ts';
import { PAYLOAD_RULES } from '../../../domain/model/payload-rule.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import { SIGNATURE_ENCODINGS } from '../../../domain/model/signature-encoding.ts';
import type { PlatformWish } from '../../../domain/services/account-administration-service.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { example, jsonOption, printJson, RELOAD_HINT } from './command-parts.ts';

type Options = Omit<PlatformWish, 'platformId' | 'algorithms'> & {
  readonly platform: string;
  readonly algorithm?: PlatformWish['algorithms'];
  readonly json?: true;
};

/** `platform add`: adds a platform to the credentials file. */
export function platformAddCommand(context: CliContext): Command {
  return new Command('add')
    .description('add a platform')
    .requiredOption('--platform <id>', "the platform's id, as callers will send it")
    .addOption(new Option('--format <format>', 'shape of its data').choices(DATA_FORMATS).makeOptionMandatory())
    .addOption(
      new Option('--algorithm <algorithm...>', 'algorithms its accounts may have (default: by format)').choices(
        ALGORITHMS,
      ),
    )
    .addOption(
      new Option('--encoding <encoding>', 'text form of its signatures (default: by algorithm)').choices(
        SIGNATURE_ENCODINGS,
      ),
    )
    .addOption(
      new Option('--rule <rule>', 'how the bytes to sign are made (default: by format)').choices(PAYLOAD_RULES),
    )
    .option(
      '--audit-clear <path...>',
      'members of the data, such as amount or instruction.price, that audit records show beside those of the format; ' +
        'their values then stand readable in the audit file',
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      example(
        'platform add --platform my-exchange --format C --algorithm ed25519 --encoding base64',
        'platform add --platform treasury --format any --rule raw',
        'platform add --platform desk --format A --audit-clear instruction.amount instruction.price',
      ),
    )
    .action(async ({ platform: platformId, algorithm, json, ...rest }: Options) => {
      const wish = { platformId, ...rest, ...(algorithm === undefined ? {} : { algorithms: algorithm }) };
      await withInstallation(context, async ({ administration }) => {
        const platform = await administration.addPlatform(wish);
        if (json) return printJson(context, { platform });
        context.print(
          `Platform ${platformId} is added to ${administration.location}: format ${platform.format}, ` +
            `rule ${platform.payload.rule}, algorithms ${platform.algorithms.join(', ')}.\n${clearedHint(platform)}${RELOAD_HINT}`,
        );
      });
    });
}

function clearedHint({ audit }: Platform): string {
  return audit === undefined ? '' : `The audit file will show the values of ${audit.clear.join(', ')}.\n`;
}
