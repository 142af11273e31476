import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { listVenues } from '../../src/adapters/venues/venue-files.ts';
import { projectUrl, readProjectFile } from '../project-root.ts';

describe('docs/callers/venues', () => {
  it('has a page for each venue, and no other', () => {
    const pages = readdirSync(projectUrl('docs/callers/venues/'));
    expect(pages).to.have.members(listVenues().map(({ id }) => `${id}.md`));
  });

  it('names each vector with its source', () => {
    for (const { id: venue, presets } of listVenues()) {
      const page = readProjectFile(`docs/callers/venues/${venue}.md`);
      for (const preset of presets) {
        const section = page.split(`\n## ${preset.name}\n`)[1]?.split('\n## ')[0] ?? '';
        const rows = section.split('\n').filter((line) => /^\| (?:official|community|computed)/.test(line));
        for (const { id, source } of preset.vectors) {
          const row = rows.filter((line) => line.startsWith(`| ${source.kind} |`)).join();
          expect(row, `${preset.name} ${id}`).to.include(`\`${id.replace(`${preset.name}-`, '')}\``);
        }
      }
    }
  });
});
