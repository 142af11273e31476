import './require-linux.ts';
import { Workplace } from '../harness/service-process.ts';
import { MemoryAccessError } from '../process-memory/search.ts';
import { examineControls } from './leaky-controls.ts';
import { examineRealService, REAL_ENVIRONMENT } from './real-service.ts';
import { controlReport, serviceReport } from './report.ts';
import { findControlFailures, findServiceFailures } from './verdict.ts';

/*
 * Proves that no private key or master key is in the running service's memory in any listed form,
 * and the audit key at most once, in inaccessible locked memory; and that the search would find
 * them: `npm run test:slow -- memory`. Exit code 0 on success.
 */

/** Time limit. */
const LIMIT_MS = 600_000;

const places = { real: new Workplace(REAL_ENVIRONMENT), leaky: new Workplace() };
const shown = await Promise.race([prove(), interruption()]).catch(explain);
await Promise.all(Object.values(places).map((place) => place.remove()));
process.exit(shown ? 0 : 1);

async function prove(): Promise<boolean> {
  const service = await examineRealService(places.real);
  print(`${serviceReport(service)}\n`);
  const controls = await examineControls(places.leaky);
  print(`${controlReport(controls)}\n`);

  const issues = [...findServiceFailures(service), ...findControlFailures(controls)];
  for (const issue of issues) print(`- ${issue}\n`);
  const seconds = Math.round(performance.now() / 1000);
  if (issues.length > 0) print(`FAILED, in ${seconds} s.\n`);
  else
    print(
      `Shown in ${seconds} s: the service's memory holds the keys of accounts and the master key in none of these forms, the audit key at most once, locked, ` +
        'and every key that leaks is found.\n',
    );
  return issues.length === 0;
}

/** On timeout or a signal. */
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
