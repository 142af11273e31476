import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';
import { projectUrl } from '../project-root.ts';
import { vectorsOf } from './venue-vectors.ts';

const ROOT = projectUrl('');

describe('docs/callers/venues.md', () => {
  const page = readFileSync(new URL('docs/callers/venues.md', ROOT), 'utf8');

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
