import { runNamed, script } from './run/programs.ts';

/* Measurements behind promises in the docs: `npm run measure -- NAME [OPTION...]`. */

process.exitCode = await runNamed('npm run measure -- NAME [OPTION...]', {
  accounts: {
    command: script('measure/accounts.ts'),
    about: '100,000 accounts: start, memory, signing, reload and the latency meanwhile (under five minutes)',
  },
  idle: {
    command: script('measure/idle.ts'),
    about: 'wakes a second of an idle service (three minutes)',
  },
  pauses: {
    command: script('measure/pauses.ts'),
    about: 'longest pause of the event loop, by the worst bodies for each payload rule (ten minutes)',
  },
  'signature-path': {
    command: script('measure/signature-path.ts'),
    about: 'files and functions that one signature executes; --list names them',
  },
});
