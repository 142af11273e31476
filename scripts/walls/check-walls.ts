import { resolve } from 'node:path';
import { formatMs, print } from '../../tests/harness/print.ts';
import { findViolations, readSources } from './find-violations.ts';

/*
 * Holds every import of src against import-table.ts, as part of `npm run lint`. With a folder as
 * its argument: of src in it.
 */

const start = performance.now();
const sources = readSources(process.argv[2] ?? resolve(import.meta.dirname, '../..'));
const violations = await findViolations(sources);
for (const violation of violations) print(violation);
print(`Walls: ${sources.size} files in ${formatMs(performance.now() - start)}, ${violations.length} violations.`);
if (violations.length > 0) {
  print('Import something else, or change scripts/walls/import-table.ts with the reason.');
  process.exitCode = 1;
}
