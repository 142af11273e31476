/*
 * Loaded by `node --import`: counts function calls (V8's precise coverage) and on SIGPROF writes
 * those since the last time to COVERAGE_FILE.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const file = process.env['COVERAGE_FILE'] ?? '';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGPROF', () => {
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    // Renamed: readers never see a partial file.
    writeFileSync(`${file}.part`, JSON.stringify(error ?? coverage.result));
    renameSync(`${file}.part`, file);
  });
});
