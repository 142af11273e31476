import { formatMs, print } from '../../tests/harness/print.ts';
import { findViolations, readSources } from './find-violations.ts';

/* Holds every import of src against import-table.ts, as part of `npm run lint`. */

const start = performance.now();
const sources = readSources();
const violations = await findViolations(sources);
for (const violation of violations) print(violation);
print(`Walls: ${sources.size} files in ${formatMs(performance.now() - start)}, ${violations.length} violations.`);
if (violations.length > 0) {
  print('Import something else, or change scripts/walls/import-table.ts with the reason.');
  process.exitCode = 1;
}
