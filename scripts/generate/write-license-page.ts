import { mkdirSync, writeFileSync } from 'node:fs';
import { findLicenseIssues, licensePage, lockedPackages, summary } from './license-page.ts';

/* Writes build/LICENSES.md and prints a summary. Exit code 1 for a license that is not allowed. */

const packages = lockedPackages();
const folder = new URL('../../build/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('LICENSES.md', folder), licensePage(packages));
process.stdout.write(`${summary(packages)}\n`);
const issues = findLicenseIssues(packages);
for (const issue of issues) process.stderr.write(`${issue}\n`);
process.exitCode = issues.length === 0 ? 0 : 1;
