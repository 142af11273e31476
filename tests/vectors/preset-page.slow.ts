import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { listPresetRules, listPresets, listVenues } from '../../src/adapters/venues/venue-files.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

const run = promisify(execFile);

/** A signature, and the command that computes or verifies it. */
const EXAMPLE = /^Signature\s+`([^`]+)`,\s+(?:recomputed|verified)\s+by\n\n```sh\n(.*?)\n```$/gms;

describe('Commands of docs/callers/venues', () => {
  const pages = listVenues().map(({ id }) => readProjectFile(`docs/callers/venues/${id}.md`));
  const examples = [...pages.join('\n').matchAll(EXAMPLE)];

  it('exist for each preset and named rule', () => {
    expect(examples).to.have.lengthOf(listPresets().flatMap(listPresetRules).length);
  });

  for (const [, signature = '', command = ''] of examples) {
    it(`print signature ${signature.slice(0, 40)}`, async () => {
      const { stdout } = await run('/bin/sh', ['-c', command], { cwd: PROJECT_ROOT });
      expect(stdout.trim()).to.equal(signature);
    });
  }
});
