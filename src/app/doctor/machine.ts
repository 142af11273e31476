import { MemoryFile } from '../../adapters/key-helper/memory-file.ts';
import { checkClockReference, checkClockSync } from '../../adapters/machine/clock.ts';
import { checkCoreDumps, checkDumpable, readDumpable } from '../../adapters/machine/core-dumps.ts';
import { checkNativeModules, checkSecp256k1Binding } from '../../adapters/machine/native-modules.ts';
import { checkNodeRelease } from '../../adapters/machine/node-release.ts';
import { checkMemoryLock, checkOpenFiles } from '../../adapters/machine/process-limits.ts';
import { checkSwap } from '../../adapters/machine/swap.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { MAX_CONNECTIONS } from '../listeners.ts';
import type { Row } from './rows.ts';
import type { ProcessContext } from './settings.ts';

/** An RSA key of 4096 bits. */
const MAX_KEY_BYTES = 2400;

/** Node, libraries, limits of this process and the clock. */
export const MACHINE_ROWS: readonly Row<ProcessContext>[] = [
  { check: 'node', run: () => checkNodeRelease() },
  { check: 'native-modules', run: () => checkNativeModules() },
  { check: 'secp256k1-binding', needs: ['native-modules'], run: () => checkSecp256k1Binding() },
  {
    check: 'memlock',
    run: ({ settings }) => checkMemoryLock(settings instanceof OperatorError || settings.memoryLock !== 'warn'),
  },
  { check: 'open-files', run: () => checkOpenFiles(MAX_CONNECTIONS) },
  { check: 'swap', run: () => checkSwap() },
  {
    check: 'key-helpers',
    run() {
      const file = new MemoryFile();
      try {
        file.write(Buffer.alloc(MAX_KEY_BYTES));
      } finally {
        file.close();
      }
      return 'can pass keys in memory';
    },
    remedy: 'Until then, keys in files of other tools and wrapped master keys do not open.',
  },
  { check: 'dumpable', run: () => checkDumpable() },
  { check: 'core-dumps', run: () => checkCoreDumps(readDumpable()) },
  {
    check: 'clock',
    run: ({ clockReference }) =>
      clockReference === undefined ? checkClockSync() : checkClockReference(clockReference),
  },
];
