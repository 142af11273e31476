import { runNamed, script } from './run/programs.ts';

/* Checks of what is delivered: `npm run check -- NAME...`. */

process.exitCode = await runNamed('npm run check -- NAME...', {
  unit: {
    command: script('unit/check-unit.ts'),
    about: 'follows docs/operators/deploy.md under systemd (a minute; root)',
  },
  'sdk-parity': {
    command: script('sdk-parity/check-sdk-parity.ts'),
    about: "compares the presets with the venues' clients (a minute; npm registry, with --python PyPI)",
  },
  'ready-made-policies': {
    command: script('sdk-parity/check-ready-made-policies.ts'),
    about: 'which requests of ccxt the policies no-withdrawals let through (a minute; npm registry)',
  },
  'memory-limit': {
    command: script('memory-limit/check-memory-limit.ts'),
    about: 'hostile input and ten times the load within the memory limit (four minutes; root)',
  },
});
