import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { presetPage, unprovenCharacters } from '../../scripts/generate/preset-page.ts';
import { listPresetRules, VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';

const ROOT = new URL('../../', import.meta.url);

describe('docs/callers/venues.md', () => {
  const page = readFileSync(new URL('docs/callers/venues.md', ROOT), 'utf8');

  it('matches `npm run generate -- docs`', () => {
    expect(page).to.equal(presetPage());
  });

  it('marks presets without vectors for reserved or non-ASCII parameters', () => {
    const unproven = VENUE_PRESETS.flatMap((preset) => {
      const kinds = unprovenCharacters(preset);
      return kinds.length === 0 ? [] : [[preset.name, kinds.join(' or a ')]];
    });
    expect(unproven).to.deep.equal([
      ['bitmex', 'non-ASCII'],
      ['coinex', 'reserved or a non-ASCII'],
    ]);
    const ofRules = VENUE_PRESETS.flatMap((preset) =>
      listPresetRules(preset).flatMap(({ name, preset: alone, alias }) => {
        const kinds = alias === null ? unprovenCharacters(alone, name) : unprovenCharacters(alone);
        return kinds.length === 0 ? [] : [[`${preset.name}, rule ${name}`, kinds.join(' or a ')]];
      }),
    );
    expect(ofRules).to.deep.equal([['mexc, rule futures', 'reserved or a non-ASCII']]);
    for (const [name, kinds] of [...unproven, ...ofRules]) {
      const section = page.split(`# ${name}\n`)[1]?.split('\n## ')[0];
      expect(section).to.include(`**Unproven**: no vector has a ${kinds} character in its parameters.`);
    }
    expect(page.match(/\*\*Unproven\*\*: no vector/g)).to.have.length(unproven.length + ofRules.length);
  });
});
