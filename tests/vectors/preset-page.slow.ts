import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { listPresetRules, VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

const run = promisify(execFile);

/** A signature, and the command that computes or verifies it. */
const EXAMPLE = /^Signature\s+`([^`]+)`,\s+(?:recomputed|verified)\s+by\n\n```sh\n(.*?)\n```$/gms;

describe('Commands of docs/callers/venues.md', () => {
  const examples = [...readProjectFile('docs/callers/venues.md').matchAll(EXAMPLE)];

  it('exist for each preset and named rule', () => {
    const rules = VENUE_PRESETS.flatMap((preset) => [preset, ...listPresetRules(preset).filter(({ alias }) => !alias)]);
    expect(examples).to.have.lengthOf(rules.length);
  });

  for (const [, signature = '', command = ''] of examples) {
    it(`print signature ${signature.slice(0, 40)}`, async () => {
      const { stdout } = await run('/bin/sh', ['-c', command], { cwd: PROJECT_ROOT });
      expect(stdout.trim()).to.equal(signature);
    });
  }
});
