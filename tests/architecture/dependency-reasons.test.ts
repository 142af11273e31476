import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../project-root.ts';

const PAGE = 'docs/decisions/0005-dependencies.md';

/** Package names in the tables under a heading. */
function namesUnder(page: string, heading: string): readonly string[] {
  const section = page.split(/^#{2,3} /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe(PAGE, () => {
  const sections = [
    ['dependencies', 'In the running service'],
    ['devDependencies', 'While developing'],
  ] as const;

  for (const [field, heading] of sections) {
    it(`gives a reason for exactly the ${field} in package.json`, async () => {
      const manifest = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8'));
      const page = await readFile(join(PROJECT_ROOT, PAGE), 'utf8');
      expect(namesUnder(page, heading)).to.have.members(Object.keys(manifest[field]));
    });
  }
});
