import { InvalidArgumentError } from 'commander';
import { formatCount } from '../../domain/model/text/wording.ts';
import type { DoctorFinding } from './cli-context.ts';
import { defineCommand } from './define-command.ts';
import { parsed, text } from './inputs.ts';
import type { Style } from './terminal/style.ts';

const STATE_STYLES: { readonly [State in DoctorFinding['state']]: Style } = {
  ok: 'green',
  warning: 'yellow',
  fail: 'red',
};

/** Widths of the columns before a message. */
const STATE_WIDTH = 'warning'.length + 2;
const CHECK_WIDTH = 'audit-checkpoint-file'.length + 2;
const INDENT = STATE_WIDTH + CHECK_WIDTH;

/** `doctor`: checks machine, process and configuration, and suggests fixes. */
export const DOCTOR = defineCommand({
  description: 'check machine, process and configuration, and suggest fixes',
  inputs: {
    clockReference: parsed(
      text('--clock-reference <url>', 'compare the clock with the Date header of this HTTP(S) server'),
      (given) => {
        if (URL.canParse(given) && /^https?:/i.test(given)) return new URL(given);
        throw new InvalidArgumentError('It must be a URL such as https://api.my-exchange.example.');
      },
    ),
  },
  manual: {
    notes: [
      'Run it as the user of the service, in its container or unit: limits, file owners and options differ elsewhere. The service need not be running. No file is changed and no secret is shown. It uses all settings.',
      'It opens no key of an account: whether a sealed key or the content of a key file is valid, only a start or a reload shows.',
    ],
    exitCodes: { 0: 'no check failed; warnings are possible', 2: 'a check failed' },
    examples: ['doctor', 'doctor --json', 'doctor --clock-reference https://api.my-exchange.example'],
  },
  run: async (options, session) => {
    const findings = await session.doctor(session.environment, options);
    const count = (state: DoctorFinding['state']) => findings.filter((finding) => finding.state === state).length;
    const summary = { ok: count('ok'), warning: count('warning'), fail: count('fail') };
    if (summary.fail > 0) session.endAs('refused');
    return { findings, summary };
  },
  text: ({ findings, summary: { ok, warning, fail } }, page) => {
    const lines = findings.map(({ state, check, message, remedy }) => {
      const texts = [...message.split('\n'), ...(remedy === null ? [] : [remedy])].join(`\n${' '.repeat(INDENT)}`);
      const head = `${page.styled(STATE_STYLES[state], state.padEnd(STATE_WIDTH))}${check.padEnd(CHECK_WIDTH)}`;
      return page.prose(`${head}${texts}\n`, INDENT);
    });
    return `${lines.join('')}\n${ok} ok, ${formatCount(warning, 'warning')}, ${fail} failed\n`;
  },
});
