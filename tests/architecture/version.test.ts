import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../project-root.ts';

/** Semantic Versioning 2.0.0. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;

/** Keep a Changelog 1.1.0. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

function read(file: string): string {
  return readFileSync(join(PROJECT_ROOT, file), 'utf8');
}

describe('The version', () => {
  const { version, scripts } = JSON.parse(read('package.json'));
  const changelog = read('CHANGELOG.md');
  const released = [...changelog.matchAll(/^## \[([^\]]+)\](?: - (\S+))?$/gm)].map(([, name, date]) => ({
    name,
    date,
  }));

  it('is a semantic version, and the same in package.json, the lock file, the client and the changelog', () => {
    expect(version).to.match(VERSION);
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).to.deep.equal([version, version]);
    expect(JSON.parse(read('clients/typescript/package.json')).version).to.equal(version);
    expect(released.find(({ name }) => name !== 'Unreleased')?.name).to.equal(version);
  });

  it('is the version of the Python client, in its form (PEP 440)', () => {
    const [, python] = /^version = "(.+)"$/m.exec(read('clients/python/pyproject.toml')) ?? [];
    expect(python).to.equal(version.replace(/-rc\.(\d+)$/, 'rc$1'));
  });

  it('has a date in the changelog, like all earlier ones, below Unreleased', () => {
    expect(released[0]).to.deep.equal({ name: 'Unreleased', date: undefined });
    for (const { name, date } of released.slice(1)) {
      expect(name).to.match(VERSION);
      expect(date).to.match(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  it('lists its changes under Keep a Changelog headings', () => {
    const kinds = [...changelog.matchAll(/^### (.+)$/gm)].map(([, kind = '']) => kind);
    expect(kinds).to.not.deep.equal([]);
    expect(kinds.filter((kind) => !KINDS.includes(kind))).to.deep.equal([]);
  });

  it('has the generate commands that a release needs', () => {
    expect(scripts).to.have.property('generate');
    const programs = read('scripts/generate.ts');
    for (const name of ['licenses', 'schema', 'docs']) expect(programs).to.include(`\n    ${name}: { command: `);
  });
});

describe('The published files', () => {
  it('name no registry, since each machine configures its own', () => {
    const configured = [
      'package.json',
      '.npmrc',
      'Dockerfile',
      'README.md',
      ...readdirSync(join(PROJECT_ROOT, '.ci')).map((file) => `.ci/${file}`),
    ];
    const named = configured.filter((file) => /registry\s*=|publishConfig|registry\.[a-z]/i.test(read(file)));
    expect(named).to.deep.equal([]);
  });
});
