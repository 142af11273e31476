import { runNamed, script } from './stage/run-named.ts';

/* Tests of minutes on the built service: `npm run test:slow [-- NAME...]`, all four by default. */

process.exitCode = await runNamed(
  'npm run test:slow [-- NAME...]',
  {
    crash: {
      command: ['npx', 'mocha', 'tests/crash/*.crash.ts'],
      about: 'kills, full and broken disks, rotations under load (two to three minutes)',
      needsBuild: true,
    },
    memory: {
      command: [process.execPath, '--import', 'tsx', 'tests/memory/prove.ts'],
      about: "searches the running service's memory for keys (one to four minutes; Linux)",
      needsBuild: true,
    },
    reload: {
      command: script('reload-under-load.ts'),
      about: '500 reloads under load, every signature verified (one to three minutes)',
      needsBuild: true,
    },
    failover: {
      command: script('failover.ts'),
      about: 'kills replicas behind nginx under load (one to three minutes; nginx-light, redis-server)',
      needsBuild: true,
    },
  },
  ['crash', 'memory', 'reload', 'failover'],
);
