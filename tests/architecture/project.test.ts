import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXAMINED_BINDING } from '../../src/adapters/machine/native-modules.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

const PACKAGE = JSON.parse(readProjectFile('package.json'));
const LOCK = JSON.parse(readProjectFile('package-lock.json'));

describe('The project', () => {
  it('has one version: package, lock file, clients, changelog, manifests of Kubernetes', () => {
    const { version } = PACKAGE;
    const [, released] = /^## \[(\d[^\]]*)\] - \d{4}-\d{2}-\d{2}$/m.exec(readProjectFile('CHANGELOG.md')) ?? [];
    const client = JSON.parse(readProjectFile('clients/typescript/package.json')).version;
    expect([LOCK.packages[''].version, client, released]).to.deep.equal([version, version, version]);
    expect(readProjectFile('clients/python/pyproject.toml')).to.include(
      `\nversion = "${version.replace(/-rc\.(\d+)$/, 'rc$1')}"\n`,
    );
    expect(readProjectFile('deploy/kubernetes/kustomization.yaml')).to.include(version);
  });

  it('gives a reason for exactly its dependencies (decision 5)', () => {
    const [, running = '', helpers = '', developing = ''] = readProjectFile(
      'docs/decisions/0005-dependencies.md',
    ).split(/^#+ (?:In the running service|In key helpers|While developing)$/m);
    const named = (section: string) =>
      [...(section.split(/^#/m)[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
        cell.replaceAll('`', '').split(', '),
      );
    expect(named(running)).to.have.members(Object.keys(PACKAGE.dependencies));
    const ofHelpers = JSON.parse(readProjectFile('src/key-helpers/package.json'));
    expect(named(helpers)).to.have.members(
      Object.keys({ ...ofHelpers.dependencies, ...ofHelpers.optionalDependencies }),
    );
    expect(named(developing)).to.have.members(Object.keys(PACKAGE.devDependencies));
  });

  it('signs with the examined secp256k1 binding (decision 2; a new one needs a new review)', () => {
    const { version, commit, sha256 } = EXAMINED_BINDING;
    expect(LOCK.packages['node_modules/secp256k1-native'].version).to.equal(version);
    const binary = join(PROJECT_ROOT, 'node_modules/secp256k1-native/prebuilds/linux-x64/node.napi.node');
    expect(createHash('sha256').update(readFileSync(binary)).digest('hex')).to.equal(sha256);
    const page = readProjectFile('docs/decisions/0002-secp256k1-binding.md');
    for (const fact of [`\`secp256k1-native\` ${version}`, commit, sha256]) expect(page).to.include(fact);
  });
});
