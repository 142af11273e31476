import { runNamed, script } from './run/programs.ts';

/* Measurements behind promises and decisions in the docs: `npm run measure -- NAME [OPTION...]`. */

process.exitCode = await runNamed('npm run measure -- NAME [OPTION...]', {
  accounts: {
    command: script('measure/accounts.ts'),
    about: '100,000 accounts: start, memory, signing, reload and the latency meanwhile (under five minutes)',
    needsBuild: true,
  },
  footprint: {
    command: script('measure/footprint.ts'),
    about: 'memory of an idle service by part, and processor time of its start and of commands (four minutes)',
    needsBuild: true,
  },
  fairness: {
    command: script('measure/fairness.ts'),
    about: 'latency of single signatures beside batches of 1000 and refused bodies (a minute)',
    needsBuild: true,
  },
  overload: {
    command: script('measure/overload.ts'),
    about: 'ten times the load that can be served, for a minute, twice (under three minutes)',
    needsBuild: true,
  },
  pauses: {
    command: script('measure/pauses.ts'),
    about: 'longest pause of the event loop, by the worst bodies for each payload rule (ten minutes)',
    needsBuild: true,
  },
  'audit-verify': {
    command: script('measure/audit-verify.ts'),
    about: 'speed and memory of audit verify (two minutes)',
    needsBuild: true,
  },
  'signature-path': {
    command: script('measure/signature-path.ts'),
    about: 'files and functions that one signature executes; --list names them',
    needsBuild: true,
  },
  custody: { command: script('measure/custody.ts'), about: 'opening a key, and verifying a signature' },
  encodings: { command: script('measure/encodings.ts'), about: 'Base58 and Keccak-256 beside the libraries' },
  permissions: { command: script('measure/permissions.ts'), about: 'permission checks (half a minute)' },
  policies: { command: script('measure/policies.ts'), about: 'policy decisions (a few seconds)' },
  'rate-limits': {
    command: script('measure/rate-limits.ts', '--expose-gc'),
    about: 'time and memory of rate limits (half a minute; redis-server)',
  },
});
