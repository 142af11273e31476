import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { checkCommand } from '../../scripts/generate/preset-page.ts';
import { listPresetRules, VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url);

describe('Commands of docs/callers/venues.md', () => {
  const page = readFileSync(new URL('docs/callers/venues.md', ROOT), 'utf8');

  const ofRules = VENUE_PRESETS.flatMap((preset) =>
    listPresetRules(preset).flatMap(({ preset: alone, alias }) => (alias === null ? [alone] : [])),
  );
  for (const preset of [...VENUE_PRESETS, ...ofRules]) {
    it(`print the signature of the example of ${preset.name}, ${preset.venue}`, async () => {
      const command = checkCommand(preset);
      expect(page).to.include(`\`\`\`sh\n${command}\n\`\`\``);
      const { stdout } = await run('/bin/sh', ['-c', command], { cwd: ROOT });
      expect(stdout.trim()).to.equal(preset.example.signature);
    });
  }
});
