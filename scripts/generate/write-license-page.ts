/** Writes docs/LICENSES.md and prints a summary. Exit code 1 for a forbidden license. */
import { writeFileSync } from 'node:fs';
import { findLicenseIssues, licensePage, lockedPackages, summary } from './license-page.ts';

const packages = lockedPackages();
writeFileSync(new URL('../../docs/LICENSES.md', import.meta.url), licensePage(packages));
process.stdout.write(`${summary(packages)}\n`);
const issues = findLicenseIssues(packages);
for (const issue of issues) process.stderr.write(`${issue}\n`);
process.exitCode = issues.length === 0 ? 0 : 1;
