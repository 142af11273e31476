import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../project-root.ts';

describe('Generated files', () => {
  it('are current (npm run generate)', () => {
    const check = ['--import', 'tsx', 'scripts/generate.ts', '--check'];
    const { stdout, status } = spawnSync(process.execPath, check, { cwd: PROJECT_ROOT, encoding: 'utf8' });
    expect(stdout).to.match(/^\d+ files are current\.\n$/);
    expect(status).to.equal(0);
  }).timeout(60_000);
});
