import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { checkCommand, presetPage, unprovenCharacters } from '../../scripts/preset-page.ts';
import { VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url);

describe('docs/PRESETS.md', () => {
  const page = readFileSync(new URL('docs/PRESETS.md', ROOT), 'utf8');

  it('is what `npm run generate -- docs` writes', () => {
    expect(page).to.equal(presetPage());
  });

  it('marks the presets that no vector shows to sign reserved or non-ASCII parameters as their venues do', () => {
    const unproven = VENUE_PRESETS.flatMap((preset) => {
      const kinds = unprovenCharacters(preset);
      return kinds.length === 0 ? [] : [[preset.name, kinds.join(' or a ')]];
    });
    expect(unproven).to.deep.equal([
      ['bitmex', 'non-ASCII'],
      ['coinex', 'reserved or a non-ASCII'],
    ]);
    for (const [name, kinds] of unproven) {
      const section = page.split(`\n## ${name}\n`)[1]?.split('\n## ')[0];
      expect(section).to.include(`**Unproven**: no vector has a ${kinds} character in its parameters.`);
    }
    expect(page.match(/\*\*Unproven\*\*: no vector/g)).to.have.length(unproven.length);
  });

  for (const preset of VENUE_PRESETS) {
    it(`has a command that prints the signature of the example of ${preset.name}`, async () => {
      const command = checkCommand(preset);
      expect(page).to.include(`\`\`\`sh\n${command}\n\`\`\``);
      const { stdout } = await run('/bin/sh', ['-c', command], { cwd: ROOT });
      expect(stdout.trim()).to.equal(preset.example.signature);
    });
  }
});
