import { runNamed, script } from './run/programs.ts';

/* Static checks by default, and checks of deliverables by name: `npm run check [-- NAME...]`. */

const CHECK_TEXTS = `npm run --silent --ignore-scripts generate -- texts &&
  npx markdownlint-cli2 --no-globs :build/user-texts.md &&
  npx cspell --no-progress --quiet build/user-texts.md`;

process.exitCode = await runNamed(
  'npm run check [-- NAME...]',
  {
    lint: { command: ['npm', 'run', '--silent', 'lint'], about: 'format, lint and import walls' },
    types: { command: ['npm', 'run', '--silent', 'typecheck'], about: 'the core alone, then everything' },
    architecture: {
      command: ['npx', 'mocha', 'tests/architecture/*.{test,slow}.ts'],
      about: 'walls, dependencies, docs and deploy files (a minute)',
      needsBuild: true,
    },
    texts: {
      command: ['sh', '-c', CHECK_TEXTS],
      about: 'spelling and wording of every text that users read',
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
  ['lint', 'types', 'architecture', 'texts'],
);
