import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from './planted-copy.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly license?: string;
  readonly dev?: true;
}

function read(file: string) {
  return JSON.parse(readFileSync(join(PROJECT_ROOT, file), 'utf8'));
}

function print(): string {
  return execFileSync(process.execPath, ['--import', 'tsx', 'scripts/generate/write-sbom.ts'], {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
  });
}

describe('npm run generate -- sbom', () => {
  const text = print();
  const bom = JSON.parse(text);
  const components: readonly Component[] = bom.components;
  const packages: { readonly [path: string]: Locked } = read('package-lock.json').packages;
  const locked = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, about]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...about }));

  it('prints a CycloneDX 1.5 document for this package', () => {
    const { name, version } = read('package.json');
    expect([bom.bomFormat, bom.specVersion, bom.version]).to.deep.equal(['CycloneDX', '1.5', 1]);
    expect(bom.serialNumber).to.match(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(bom.metadata.component).to.include({ type: 'application', name, version });
  });

  it('lists exactly the production packages of the lock file, each once', () => {
    const expected = new Set(locked.map(({ name, version }) => `${name}@${version}`));
    expect(components.map((component) => component['bom-ref']).sort()).to.deep.equal([...expected].sort());
    for (const { name, version, purl, ...component } of components) {
      expect(component['bom-ref']).to.equal(`${name}@${version}`);
      expect(purl).to.equal(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    }
  });

  it('gives each package the SHA-512 and license from the lock file', () => {
    for (const { name, version, integrity, license } of locked) {
      const component = components.find((one) => one.name === name && one.version === version);
      const digest = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
      expect(component?.hashes, name).to.deep.equal([{ alg: 'SHA-512', content: digest }]);
      const [licensed] = component?.licenses ?? [];
      expect(licensed?.license?.id ?? licensed?.expression, name).to.equal(license);
    }
  });

  it('lists the dependencies of each package, by valid references', () => {
    const known = [bom.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])];
    const references: readonly string[] = bom.dependencies.map(({ ref }: { readonly ref: string }) => ref);
    expect([...references].sort()).to.deep.equal(known.sort());
    for (const { dependsOn } of bom.dependencies) expect(known).to.include.members(dependsOn);
  });

  it('is reproducible, without timestamps or local paths', () => {
    expect(print()).to.equal(text);
    expect(text).to.not.match(/timestamp|cdx:npm:package:path/);
    expect(text).to.not.include(PROJECT_ROOT);
  });
});
