import './require-linux.ts';
import { Workplace } from '../e2e/service-process.ts';
import { MemoryAccessError } from '../process-memory/search.ts';
import { examineControls, LEAKY_ENVIRONMENT } from './leaky-controls.ts';
import { examineRealService, REAL_ENVIRONMENT } from './real-service.ts';
import { controlReport, serviceReport } from './report.ts';
import { faultsOfControls, faultsOfService } from './verdict.ts';

/*
 * Shows that no private key of an account and no master key stands in the memory of the running service in any of the forms that the report lists, the
 * audit key at most once, in locked memory without access; and that they would be found if they
 * did: `npm run test:slow -- memory`. Exit code 0 means that both were shown.
 */

/** The longest that it may take. */
const LIMIT_MS = 300_000;

const places = { real: new Workplace(REAL_ENVIRONMENT), leaky: new Workplace(LEAKY_ENVIRONMENT) };
const shown = await Promise.race([prove(), interruption()]).catch(explain);
await Promise.all(Object.values(places).map((place) => place.remove()));
process.exit(shown ? 0 : 1);

async function prove(): Promise<boolean> {
  const service = await examineRealService(places.real);
  print(`${serviceReport(service)}\n`);
  const controls = await examineControls(places.leaky);
  print(`${controlReport(controls)}\n`);

  const faults = [...faultsOfService(service), ...faultsOfControls(controls)];
  for (const fault of faults) print(`- ${fault}\n`);
  const seconds = Math.round(performance.now() / 1000);
  if (faults.length > 0) print(`FAILED, in ${seconds} s.\n`);
  else
    print(
      `Shown in ${seconds} s: the service's memory holds the keys of accounts and the master key in none of these forms, the audit key at most once, locked, ` +
        'and every key that leaks is found.\n',
    );
  return faults.length === 0;
}

/** Resolves when time is up or somebody ends the proof. */
function interruption(): Promise<false> {
  return new Promise((resolve) => {
    const end = (reason: string) => {
      print(`FAILED: ${reason}\n`);
      resolve(false);
    };
    setTimeout(end, LIMIT_MS, `it took more than ${LIMIT_MS / 1000} s.`).unref();
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(`it was ended by ${signal}.`));
  });
}

function explain(error: unknown): false {
  const text = error instanceof MemoryAccessError ? error.message : error instanceof Error ? error.stack : error;
  print(`FAILED: ${text}\n`);
  return false;
}

function print(text: string): void {
  process.stdout.write(text);
}
