import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXAMINED_BINDING } from '../../src/app/doctor/secp256k1-binding.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const PAGE = 'docs/decisions/0002-secp256k1-binding.md';

/*
 * If these fail, the signing binding has changed: review it as the page describes, then change page
 * and EXAMINED_BINDING together.
 */
describe('The secp256k1 binding', () => {
  const { version, commit, committed, sha256 } = EXAMINED_BINDING;

  it('is locked to the reviewed version', () => {
    const lock = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package-lock.json'), 'utf8'));
    expect(lock.packages['node_modules/secp256k1-native'].version).to.equal(version);
  });

  it('is installed with the reviewed binary', () => {
    const binary = readFileSync(join(PROJECT_ROOT, 'node_modules/secp256k1-native/prebuilds/linux-x64/node.napi.node'));
    expect(createHash('sha256').update(binary).digest('hex')).to.equal(sha256);
  });

  it(`is described in ${PAGE} with its version, the commit of libsecp256k1 and the digest of the binary`, () => {
    const page = readFileSync(join(PROJECT_ROOT, PAGE), 'utf8');
    for (const fact of [`\`secp256k1-native\` ${version}`, commit, committed, sha256]) expect(page).to.include(fact);
  });
});
