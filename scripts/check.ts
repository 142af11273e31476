import { runNamed, script } from './run/programs.ts';

/* Static checks by default, and checks of deliverables by name: `npm run check [-- NAME...]`. */

process.exitCode = await runNamed(
  'npm run check [-- NAME...]',
  {
    lint: { command: ['npm', 'run', '--silent', 'lint'], about: 'format, lint and import walls' },
    types: { command: ['npm', 'run', '--silent', 'typecheck'], about: 'the core alone, then everything' },
    architecture: {
      command: ['npx', 'mocha', 'tests/architecture/*.{test,slow}.ts'],
      about: 'walls, dependencies, docs and deploy files (half a minute)',
      needsBuild: true,
    },
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
      needsBuild: true,
    },
    'memory-limit': {
      command: script('memory-limit/check-memory-limit.ts'),
      about: 'hostile input and ten times the load within the memory limit (four minutes; root)',
      needsBuild: true,
    },
  },
  ['lint', 'types', 'architecture'],
);
