import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../project-root.ts';

describe('npm run build', function () {
  this.timeout(60_000);
  let clone: string;

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'signing-service-build-'));
    const copied = ['tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs', 'scripts/bundles.mjs'];
    for (const file of ['package.json', ...copied]) {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      cpSync(join(PROJECT_ROOT, file), join(clone, file));
    }
    symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(clone, 'node_modules'), 'dir');
    write('package-lock.json', '{}');
    write('config/venues/okx.json', '{}');
    write('docs/openapi.html', '');
    write('docs/openapi.json', '{}');
    write('src/console/index.html', '<!doctype html>');
    write('src/console/console.css', '');
    write('src/console/title.ts', "export const TITLE = 'Console';\n");
    write('src/console/console.ts', "import { TITLE } from './title.ts';\n\ndocument.title = TITLE;\n");
    write('src/cli.ts', "const { PRICE } = await import('./price.ts');\n\nprocess.stdout.write(String(PRICE));\n");
    write('src/price.ts', 'export const PRICE = 1;\n');
    write('src/types.d.ts', 'declare module "untyped";\n');
    write('src/main.ts', "import { PRICE } from './price.ts';\n\nprocess.stdout.write(String(PRICE));\n");
    build();
  });
  afterEach(() => rmSync(clone, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    writeFileSync(join(clone, file), text);
  }

  /** Runs the build; @returns its exit code */
  function build(): number | null {
    const env = { ...process.env, NODE_OPTIONS: '' };
    return spawnSync('npm', ['run', '--silent', 'build'], { cwd: clone, env, encoding: 'utf8' }).status;
  }

  /** What the built program prints. */
  const printed = () => spawnSync(process.execPath, ['dist/main.js'], { cwd: clone, encoding: 'utf8' }).stdout;
  const outputs = () => readdirSync(join(clone, 'dist')).filter((name) => name.endsWith('.js'));
  const writtenAt = (file: string) => statSync(join(clone, 'dist', file)).mtimeMs;

  it('leaves the output alone without a change', () => {
    rmSync(join(clone, 'node_modules'));
    expect(build(), 'the compiler is not needed').to.equal(0);
    expect(printed()).to.equal('1');
  });

  it('compiles only what a changed source affects, whatever its file time', () => {
    const before = ['main.js', 'price.js'].map(writtenAt);
    const { atime, mtime } = statSync(join(clone, 'src/price.ts'));
    write('src/price.ts', 'export const PRICE = 2;\n');
    utimesSync(join(clone, 'src/price.ts'), atime, mtime);
    expect(build()).to.equal(0);
    expect(printed()).to.equal('2');
    const after = ['main.js', 'price.js'].map(writtenAt);
    expect([after[0] === before[0], after[1] === before[1]]).to.deep.equal([true, false]);
  });

  it('leaves no output of a removed source', () => {
    rmSync(join(clone, 'src/price.ts'));
    write('src/main.ts', "process.stdout.write('none');\n");
    write('src/cli.ts', 'export {};\n');
    expect(build()).to.equal(0);
    expect(outputs()).to.have.members(['cli.js', 'main.js']);
  });

  it('copies pages and venues, and leaves no venue that is gone', () => {
    expect(readdirSync(join(clone, 'dist/pages'))).to.have.members(['openapi.html', 'openapi.json']);
    write('config/venues/new.json', '{}');
    write('config/venues/okx.json', '{"venue":"OKX"}');
    expect(build()).to.equal(0);
    expect(readdirSync(join(clone, 'dist/venues'))).to.have.members(['new.json', 'okx.json']);
    expect(readFileSync(join(clone, 'dist/venues/okx.json'), 'utf8')).to.equal('{"venue":"OKX"}');
    rmSync(join(clone, 'config/venues/new.json'));
    expect(build()).to.equal(0);
    expect(readdirSync(join(clone, 'dist/venues'))).to.deep.equal(['okx.json']);
  });

  it('bundles the command line, and leaves no chunk of an earlier one', () => {
    const chunks = () => readdirSync(join(clone, 'dist/program'));
    const [before] = chunks();
    write('src/price.ts', 'export const PRICE = 2;\n');
    expect(build()).to.equal(0);
    expect(spawnSync(process.execPath, ['dist/cli.js'], { cwd: clone, encoding: 'utf8' }).stdout).to.equal('2');
    expect(chunks()).to.have.lengthOf(1).and.not.include(before);
  });

  it('makes a page, a style sheet and one script of the console', () => {
    expect(readdirSync(join(clone, 'dist/console'))).to.have.members(['index.html', 'console.css', 'console.js']);
    const script = readFileSync(join(clone, 'dist/console/console.js'), 'utf8');
    expect(script).to.include('"Console"').and.not.include('import');
  });

  it('builds from scratch with another lock file', () => {
    write('dist/stray.js', '');
    write('package-lock.json', '{"lockfileVersion":3}');
    expect(build()).to.equal(0);
    expect(outputs()).to.have.members(['cli.js', 'main.js', 'price.js']);
  });
});
