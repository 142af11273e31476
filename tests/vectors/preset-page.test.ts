import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { checkCommand, presetPage } from '../../scripts/preset-page.ts';
import { VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url);

describe('docs/PRESETS.md', () => {
  const page = readFileSync(new URL('docs/PRESETS.md', ROOT), 'utf8');

  it('is what `npm run docs` writes', () => {
    expect(page).to.equal(presetPage());
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
