import { Command, InvalidArgumentError } from 'commander';
import { formatCount } from '../../domain/model/text/wording.ts';
import type { CliContext, DoctorFinding } from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';
import { jsonOption, printJson, printProse } from './command-options.ts';
import { type Style, styled, type TerminalStyle } from './terminal/style.ts';

const STATE_STYLES: { readonly [State in DoctorFinding['state']]: Style } = {
  ok: 'green',
  warning: 'yellow',
  fail: 'red',
};

/** Widths of the columns before a message. */
const STATE_WIDTH = 'warning'.length + 2;
const CHECK_WIDTH = 'audit-checkpoint-file'.length + 2;
const INDENT = ' '.repeat(STATE_WIDTH + CHECK_WIDTH);

const MANUAL: CommandManual = {
  notes: [
    'Run it as the user of the service, in its container or unit: limits, file owners and options differ elsewhere. The service need not be running. No file is changed and no secret is shown. It uses all settings.',
    'It opens no key of an account: whether a sealed key or the content of a key file is valid, only a start or a reload shows.',
  ],
  exitCodes: { 0: 'no check failed; warnings are possible', 2: 'a check failed' },
  examples: ['doctor', 'doctor --json', 'doctor --clock-reference https://api.my-exchange.example'],
};

/** `doctor`: checks machine, process and configuration, and suggests fixes. */
export function doctorCommand(context: CliContext): Command {
  const command = new Command('doctor')
    .description('check machine, process and configuration, and suggest fixes')
    .option('--clock-reference <url>', 'compare the clock with the Date header of this HTTP(S) server', parseServer)
    .addOption(jsonOption())
    .action(async ({ clockReference, json }: { clockReference?: URL; json?: true }) => {
      const findings = await context.doctor(
        context.environment,
        clockReference === undefined ? {} : { clockReference },
      );
      const summary = {
        ok: countState(findings, 'ok'),
        warning: countState(findings, 'warning'),
        fail: countState(findings, 'fail'),
      };
      if (summary.fail > 0) context.endAs('refused');
      if (json) return printJson(context, { findings, summary });
      for (const finding of findings) await printProse(context, formatFinding(finding, context.output), INDENT.length);
      context.print(`\n${summary.ok} ok, ${formatCount(summary.warning, 'warning')}, ${summary.fail} failed\n`);
    });
  return addManual(command, MANUAL);
}

function parseServer(text: string): URL {
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text);
  throw new InvalidArgumentError('It must be a URL such as https://api.my-exchange.example.');
}

function countState(findings: readonly DoctorFinding[], state: DoctorFinding['state']): number {
  return findings.filter((finding) => finding.state === state).length;
}

function formatFinding({ state, check, message, remedy }: DoctorFinding, terminal: TerminalStyle): string {
  const lines = [...message.split('\n'), ...(remedy === null ? [] : [remedy])];
  return `${styled(terminal, STATE_STYLES[state], state.padEnd(STATE_WIDTH))}${check.padEnd(CHECK_WIDTH)}${lines.join(`\n${INDENT}`)}\n`;
}
