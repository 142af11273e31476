import { Command, Option } from 'commander';
import { ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { DATA_FORMATS } from '../../../domain/model/data-format.ts';
import { PAYLOAD_RULES } from '../../../domain/model/payload-rule.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import { SECRET_DECODINGS } from '../../../domain/model/secret-decoding.ts';
import { SIGNATURE_ENCODINGS } from '../../../domain/model/signature-encoding.ts';
import { cautionsText, platformCautions } from './cautions.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { jsonOption, printJson, printProse, RELOAD_HINT } from './command-parts.ts';
import { suggesting } from './completion/suggested-values.ts';
import { CREDENTIALS_SETTINGS } from './named-settings.ts';
import { parsePayload } from './payload-option.ts';
import { type PlatformOptions, platformWish } from './platform-wish.ts';
import { PRESET_NAMES, parsePreset } from './preset-option.ts';
import { nextStepsText } from './preset-text.ts';

type Options = PlatformOptions & { readonly json?: true };

const MANUAL: CommandManual = {
  notes: [
    'Without --preset, --platform and --format are needed. With one, every option may be given all the same and wins over what the preset says.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: [
    'platform add --preset kraken',
    'platform add --preset bybit --platform bybit-subaccounts',
    'platform add --platform my-exchange --format C --algorithm ed25519 --encoding base64',
    `platform add --platform desk --format any --algorithm hmac-sha256 --payload '{"rule":"query","sort":true}'`,
    'platform add --platform treasury --format any --rule raw',
    'platform add --platform desk --format A --audit-clear instruction.amount instruction.price',
  ],
};

/** `platform add`: adds a platform to the credentials file. */
export function platformAddCommand(context: CliContext): Command {
  const command = new Command('add')
    .description('add a platform')
    .addOption(
      suggesting(
        new Option('--preset <name>', 'everything as this venue wants it; `platform presets` lists them').argParser(
          parsePreset,
        ),
        PRESET_NAMES,
      ),
    )
    .option('--platform <id>', "the platform's id, as callers will send it (default: the preset's name)")
    .addOption(new Option('--format <format>', 'shape of its data').choices(DATA_FORMATS))
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
    .addOption(
      new Option('--payload <json>', 'the same with options, as the credentials file writes it')
        .argParser(parsePayload)
        .conflicts('rule'),
    )
    .addOption(
      new Option('--secret-decoding <decoding>', 'how HMAC secrets are made of their texts (default: utf8)').choices(
        SECRET_DECODINGS,
      ),
    )
    .option(
      '--verify-mac',
      'let callers have HMAC signatures verified; whoever may learns what only the holder of the secret can know',
    )
    .option(
      '--audit-clear <path...>',
      'members of the data, such as amount or instruction.price, that audit records show beside those of the format; ' +
        'their values then stand readable in the audit file',
    )
    .addOption(jsonOption())
    .action((options: Options, command: Command) => addPlatform(context, options, command));
  return withManual(command, MANUAL);
}

async function addPlatform(context: CliContext, options: Options, command: Command): Promise<void> {
  const wish = platformWish(options);
  if (typeof wish === 'string') return command.error(`error: ${wish}`);
  await withInstallation(context, async ({ administration }) => {
    const platform = await administration.addPlatform(wish);
    const { preset, json } = options;
    const cautions = platformCautions(platform);
    if (json) return printJson(context, { platform, ...(preset === undefined ? {} : { preset }), cautions });
    context.print(
      `Platform ${platform.platformId} is added to ${administration.location}: format ${platform.format}, ` +
        `rule ${platform.payload.rule}, algorithms ${platform.algorithms.join(', ')}.\n` +
        `${cautionsText(cautions, context.output)}${clearedHint(platform)}${nextSteps(options, platform)}`,
    );
    await printProse(context, RELOAD_HINT);
  });
}

function clearedHint({ audit }: Platform): string {
  return audit === undefined ? '' : `The audit file will show the values of ${audit.clear.join(', ')}.\n`;
}

/** A preset's own words, unless options made another platform of it. */
function nextSteps({ preset, format, algorithm, rule, payload }: Options, platform: Platform): string {
  const isPresetAlone = [format, algorithm, rule, payload].every((option) => option === undefined);
  return preset !== undefined && isPresetAlone ? nextStepsText(preset, platform) : '';
}
