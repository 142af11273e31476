import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import { readProjectFile } from '../project-root.ts';

describe('docs/callers/venues.md', () => {
  const page = readProjectFile('docs/callers/venues.md');

  it('names each vector with its source', () => {
    for (const preset of listPresets()) {
      const section = page.split(`\n## ${preset.name}\n`)[1]?.split('\n## ')[0] ?? '';
      const rows = section.split('\n').filter((line) => /^\| (?:official|community|computed)/.test(line));
      for (const { id, source } of preset.vectors) {
        const row = rows.filter((line) => line.startsWith(`| ${source.kind} |`)).join();
        expect(row, `${preset.name} ${id}`).to.include(`\`${id.replace(`${preset.name}-`, '')}\``);
      }
    }
  });
});
