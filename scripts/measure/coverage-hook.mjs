/*
 * Loaded into a service by `node --import`: counts the calls of its functions (V8's precise
 * coverage), and on SIGPROF writes those since the last time to the file named by COVERAGE_FILE.
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
    // Renamed, so that a reader never sees half of it.
    writeFileSync(`${file}.part`, JSON.stringify(error ?? coverage.result));
    renameSync(`${file}.part`, file);
  });
});
