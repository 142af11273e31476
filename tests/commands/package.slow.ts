import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

const run = promisify(execFile);
const MANIFEST = JSON.parse(readProjectFile('package.json'));

/** Skips package scripts: other tests use the build. */
const PACK = ['pack', '--json', '--ignore-scripts', '--offline'];

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Files of `npm pack`. */
function pack(folder: string, ...options: readonly string[]): Packed {
  const printed = execFileSync('npm', [...PACK, ...options], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const [packed] = JSON.parse(printed);
  return packed;
}

/** Names in a folder with this suffix. */
function filesIn(folder: string, end: string): readonly string[] {
  return readdirSync(join(PROJECT_ROOT, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`);
}

describe('The package', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-package-'));
  let packed: Packed;
  let files: readonly string[];

  before(() => {
    packed = pack(PROJECT_ROOT, '--pack-destination', folder);
    files = packed.files.map(({ path }) => path);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('contains only build output, schemas and documents for callers, operators, auditors and reviewers', () => {
    const expected = [
      ...['package.json', 'README.md', 'SECURITY.md', 'CHANGELOG.md', 'LICENSE'],
      ...filesIn('config', '.schema.json'),
      'config/credentials.example.json',
      ...['auditors', 'callers', 'callers/venues', 'operators', 'reviewers'].flatMap((readers) =>
        filesIn(`docs/${readers}`, '.md'),
      ),
      ...filesIn('docs', 'openapi.json'),
      ...filesIn('docs/examples', ''),
    ];
    expect(files.filter((file) => !file.startsWith('dist/'))).to.have.members(expected);
  });

  it('contains only compiled programs that have a source, and types only for the client', () => {
    const built = files.filter((file) => file.startsWith('dist/'));
    expect(built).to.include.members(['dist/cli.js', 'dist/main.js', 'dist/healthcheck.js', 'dist/client/client.d.ts']);
    const types = built.filter((file) => file.endsWith('.d.ts'));
    expect(types.filter((file) => !file.startsWith('dist/client/'))).to.deep.equal([]);
    const isChunk = (file: string) => /^dist\/program\/.+-[A-Z0-9]{8}\.js$/.test(file);
    const strange = built.filter((file) => !isChunk(file) && !existsSync(join(PROJECT_ROOT, sourceOf(file))));
    expect(strange, 'left of a build of another state? rm -r dist, and build').to.deep.equal([]);
  });

  /** TypeScript of programs or types; other files are copied. */
  const sourceOf = (file: string) =>
    file
      .replace(/^dist\/(?=venues\/)/, 'config/')
      .replace('dist/pages/', 'docs/')
      .replace('dist/', 'src/')
      .replace(/(\.d\.ts|\.js)$/, '.ts');

  it('contains no source maps and no sources', () => {
    expect(files.filter((file) => file.endsWith('.map') || /(?<!\.d)\.ts$/.test(file))).to.deep.equal([]);
    const mapped = files
      .filter((file) => file.endsWith('.js'))
      .filter((file) => /^\/\/# sourceMappingURL=/m.test(readProjectFile(file)));
    expect(mapped).to.deep.equal([]);
    expect(packed.unpackedSize).to.be.below(8 * 2 ** 20);
  });

  it('includes no keys, credentials or audit records from the working folder', () => {
    const copy = join(folder, 'copy');
    const secrets = [
      ...['config/master.key', 'config/master.key.previous', 'config/audit.key', 'config/audit.key.pub'],
      'config/auth.key',
      ...['config/auth-token.txt', 'config/credentials.json', 'config/credentials.json.tmp', 'var/audit/audit.jsonl'],
      ...['deploy/secrets/audit-key', 'deploy/tls/tls.key', '.env', '.npmrc', 'desk-1.key', 'docs/desk-1.key'],
      'npm-debug.log',
      ...['tests/a.test.ts', 'scripts/a.ts', 'build/a.js', 'tsconfig.json', 'biome.json', 'Dockerfile', '.ci/run'],
    ];
    const wanted = [
      'dist/cli.js',
      'config/credentials.schema.json',
      'docs/callers/api.md',
      'docs/examples/signed-request.mjs',
    ];
    for (const file of [...secrets, ...wanted]) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), '');
    }
    cpSync(join(PROJECT_ROOT, 'package.json'), join(copy, 'package.json'));
    cpSync(join(PROJECT_ROOT, '.gitignore'), join(copy, '.gitignore'));
    const taken = pack(copy, '--dry-run').files.map(({ path }) => path);
    expect(taken).to.have.members([...wanted, 'package.json']);
  });

  describe('installed in an empty folder with only its dependencies', () => {
    const place = join(folder, 'place');
    const modules = join(place, 'node_modules');
    const installed = join(modules, 'signing-service');
    const command = join(modules, '.bin/signing-service');

    before(() => {
      mkdirSync(installed, { recursive: true });
      execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
      // In an image, a volume takes its place.
      rmSync(join(installed, 'config'), { recursive: true });
      linkDependencies(modules);
      // As npm does.
      mkdirSync(dirname(command));
      symlinkSync(join('..', 'signing-service', MANIFEST.bin['signing-service']), command);
      chmodSync(command, 0o755);
    });

    /** Production packages of package.json; each has its dependencies beside it. */
    function linkDependencies(into: string): void {
      for (const name of Object.keys(MANIFEST.dependencies)) {
        mkdirSync(dirname(join(into, name)), { recursive: true });
        symlinkSync(join(PROJECT_ROOT, 'node_modules', name), join(into, name), 'dir');
      }
    }

    function environment(): NodeJS.ProcessEnv {
      const inherited = Object.entries(process.env).filter(([name]) => !/^(SIGNING_|NODE_|npm_)/.test(name));
      return Object.fromEntries(inherited);
    }
    const signingService = (...args: readonly string[]) => run(command, args, { cwd: place, env: environment() });

    it('reports its version', async () => {
      expect((await signingService('--version')).stdout).to.equal(`${MANIFEST.version}\n`);
    });

    it('creates its configuration there, and an account', async () => {
      await signingService('init');
      await signingService('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
      await signingService('platform', 'add', '--preset', 'okx', '--policy', 'trade-only');
      const account = ['--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'];
      await signingService('account', 'add', ...account);
      expect(readdirSync(join(place, 'config'))).to.include.members(['master.key', 'credentials.json', 'audit.key']);
      const { accounts } = JSON.parse(readFileSync(join(place, 'config/credentials.json'), 'utf8'));
      expect(accounts).to.have.lengthOf(1);
    });

    it('does not start with a document that is damaged or missing, and names it', async () => {
      const page = join(installed, 'dist/pages/openapi.html');
      for (const damage of [() => truncateSync(page, 100_000), () => rmSync(page)]) {
        damage();
        const start = run(process.execPath, [join(installed, 'dist/main.js')], { cwd: place, env: environment() });
        const failure = await start.catch((error) => error);
        expect(failure).to.include({ code: 2 });
        expect(failure.stderr).to.include(
          `${page} is missing or damaged. It belongs to the program: install it again.`,
        );
      }
    });

    it('exports the client under its name, and nothing else', async () => {
      const program = [
        "import { SigningClient, ERROR_CODES } from 'signing-service/client';",
        "const inside = await import('signing-service/dist/app/serve.js').catch(({ code }) => code);",
        "console.log(new SigningClient({ url: 'http://127.0.0.1:9' }) instanceof SigningClient, ERROR_CODES.length > 9, inside);",
      ].join('\n');
      writeFileSync(join(place, 'program.mjs'), program);
      const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: place, env: environment() });
      expect(stdout).to.equal('true true ERR_PACKAGE_PATH_NOT_EXPORTED\n');
    });
  });
});
