/**
 * Writes docs/LICENSES.md and prints how many packages have which license. Exit code 1 where one is
 * not allowed.
 */
import { writeFileSync } from 'node:fs';
import { licenseFaults, licensePage, lockedPackages, summary } from './license-page.ts';

const packages = lockedPackages();
writeFileSync(new URL('../docs/LICENSES.md', import.meta.url), licensePage(packages));
process.stdout.write(`${summary(packages)}\n`);
const faults = licenseFaults(packages);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
