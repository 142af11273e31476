import { Command, InvalidArgumentError } from 'commander';
import type { CliContext, DoctorFinding } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';

const NOTES = `
Run it as the user, and in the container or unit, that the service runs in: limits, owners and options differ elsewhere. It needs no
running service, shows no secret, and makes and changes no file.

Exit codes: 0 when nothing failed, whatever warnings there are; 2 when something failed.`;

/** Columns before a message: state and name of the check. */
const STATE_WIDTH = 'warning'.length + 2;
const CHECK_WIDTH = 'previous-master-key'.length + 2;
const INDENT = ' '.repeat(STATE_WIDTH + CHECK_WIDTH);

/** `doctor`: looks over machine, process and configuration, and says what to do about what it finds. */
export function doctorCommand(context: CliContext): Command {
  return new Command('doctor')
    .description('check this machine, this process and the configuration, and say what to do')
    .option('--clock-reference <url>', 'compare the clock with the Date header of this HTTP(S) server', parseServer)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `${NOTES}\n${example('doctor', 'doctor --json', 'doctor --clock-reference https://api.my-exchange.example')}`,
    )
    .action(async ({ clockReference, json }: { clockReference?: URL; json?: true }) => {
      const findings = await context.doctor(
        context.environment,
        clockReference === undefined ? {} : { clockReference },
      );
      const summary = { ok: count(findings, 'ok'), warning: count(findings, 'warning'), fail: count(findings, 'fail') };
      if (summary.fail > 0) context.endAsRefused();
      if (json) return printJson(context, { findings, summary });
      for (const finding of findings) context.print(textOf(finding));
      context.print(`\n${summary.ok} ok, ${summary.warning} warning, ${summary.fail} fail\n`);
    });
}

function parseServer(text: string): URL {
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text);
  throw new InvalidArgumentError('It has to be an address such as https://api.my-exchange.example.');
}

function count(findings: readonly DoctorFinding[], state: DoctorFinding['state']): number {
  return findings.filter((finding) => finding.state === state).length;
}

function textOf({ state, check, message, remedy }: DoctorFinding): string {
  const lines = [...message.split('\n'), ...(remedy === null ? [] : [remedy])];
  return `${state.padEnd(STATE_WIDTH)}${check.padEnd(CHECK_WIDTH)}${lines.join(`\n${INDENT}`)}\n`;
}
