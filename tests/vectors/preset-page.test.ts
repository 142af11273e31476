import { expect } from 'chai';
import { VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';
import { readProjectFile } from '../project-root.ts';
import { vectorsOf } from './venue-vectors.ts';

describe('docs/callers/venues.md', () => {
  const page = readProjectFile('docs/callers/venues.md');

  it('names each vector with its source', () => {
    for (const preset of VENUE_PRESETS) {
      const section = page.split(`\n## ${preset.name}\n`)[1]?.split('\n## ')[0] ?? '';
      const rows = section.split('\n').filter((line) => /^\| (?:official|community|computed)/.test(line));
      for (const { id, source } of vectorsOf(preset.name)) {
        const row = rows.filter((line) => line.startsWith(`| ${source.kind} |`)).join();
        expect(row, `${preset.name} ${id}`).to.include(`\`${id.replace(`${preset.name}-`, '')}\``);
      }
    }
  });
});
