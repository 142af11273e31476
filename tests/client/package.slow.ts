import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as client from '../../src/client/client.ts';
import { type RunningService, startService } from '../harness/running-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { Workplace } from '../harness/service-process.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';
import { MODULE_RESOLUTIONS, typedProgram, typeErrors } from './typed-consumer.ts';

const run = promisify(execFile);
const PACKAGE = join(PROJECT_ROOT, 'clients/typescript');
const NAME = 'signing-service-client';

/** Others are dist/*.js and their types. */
const FILES = ['LICENSE', 'README.md', 'package.json'];
const MAX_BYTES = 200_000;

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Signs, with a key that the program verifies, and with one that needs ethers. */
const PROGRAM = `
import { SigningClient, VerificationError } from '${NAME}';
const [url, data] = process.argv.slice(2);
const client = new SigningClient({ url, verifySignatures: 'always', expectedPayloads: { alpha: 'jcs', verbatim: 'raw' } });
const { verified } = await client.sign({ platformId: 'alpha', accountId: 'main', data: JSON.parse(data) });
const ethereum = await client.sign({ platformId: 'verbatim', accountId: 'eip191-0', data: { text: 'x' } }).catch((caught) => caught);
const unreachable = await new SigningClient({ url: 'http://127.0.0.1:9', retry: false }).accounts().catch((caught) => caught);
console.log(JSON.stringify({
  verified,
  ethereum: ethereum instanceof VerificationError ? ethereum.reason : ethereum.verified,
  error: unreachable.name,
}));
`;

describe('The package of the TypeScript client', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'signing-client-package-'));
  const place = join(folder, 'empty');
  let packed: Packed;

  before(() => {
    // The pack builds; `npm run --ignore-scripts` passes its setting on.
    const options = ['--json', '--offline', '--ignore-scripts=false', '--pack-destination', folder];
    const printed = execFileSync('npm', ['pack', ...options], { cwd: PACKAGE, encoding: 'utf8', stdio: 'pipe' });
    packed = JSON.parse(printed)[0];
    mkdirSync(place);
    const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', [...install, join(folder, packed.filename)], { cwd: place, stdio: 'pipe' });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is modules with their types under 200 kB, with the license of the service', () => {
    const paths = packed.files.map(({ path }) => path).sort();
    expect(paths.filter((path) => !/^dist\/[a-z0-9-]+(?:\.d\.ts|\.js)$/.test(path))).to.deep.equal(FILES);
    expect(packed.unpackedSize).to.be.below(MAX_BYTES);
    const license = readFileSync(join(place, 'node_modules', NAME, 'LICENSE'), 'utf8');
    expect(license).to.equal(readProjectFile('LICENSE'));
  });

  it('installs without network into an empty folder, alone', () => {
    const installed = readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed).to.deep.equal([NAME]);
    const { dependencies = {} } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    expect(dependencies).to.deep.equal({});
  });

  it('imports Node alone, and ethers on demand, in the version that the service uses', () => {
    const dist = join(place, 'node_modules', NAME, 'dist');
    const files = readdirSync(dist).filter((file) => file.endsWith('.js'));
    const imports = files.flatMap((file) => [
      ...readFileSync(join(dist, file), 'utf8').matchAll(
        /^(?:import|export)\b.* from '([^']+)'|\bimport\('([^']+)'\)/gm,
      ),
    ]);
    const foreign = imports
      .map(([, named, called]) => named ?? called ?? '')
      .filter((name) => !/^(?:node:|\.\/)/.test(name));
    expect([...new Set(foreign)].sort()).to.deep.equal(['ethers/crypto', 'ethers/transaction']);
    const { peerDependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    const { dependencies } = JSON.parse(readProjectFile('package.json'));
    expect(peerDependencies).to.deep.equal({ ethers: `^${dependencies.ethers}` });
  });

  it('exports what signing-service/client exports', async () => {
    writeFileSync(join(place, 'names.mjs'), `console.log(Object.keys(await import('${NAME}')).join())`);
    const { stdout } = await run(process.execPath, ['names.mjs'], { cwd: place });
    expect(stdout.trim().split(',').sort()).to.deep.equal(Object.keys(client).sort());
    const source = readProjectFile('src/client/client.ts');
    const joined = readFileSync(join(place, 'node_modules', NAME, 'dist/client.d.ts'), 'utf8');
    expect(exportedNames(joined)).to.deep.equal(exportedNames(source));
  });

  for (const moduleResolution of MODULE_RESOLUTIONS) {
    it(`has types that compile in strict mode with module resolution ${moduleResolution}`, () => {
      const consumer = join(folder, moduleResolution);
      cpSync(join(place, 'node_modules'), join(consumer, 'node_modules'), { recursive: true });
      expect(typeErrors(consumer, typedProgram(NAME), moduleResolution)).to.equal('');
      expect(typeErrors(consumer, exampleOfReadme(), moduleResolution, ['node'])).to.equal('');
      expect(typeErrors(consumer, `import { nothing } from '${NAME}';\nnothing();`, moduleResolution)).to.match(
        /TS2305/,
      );
    });
  }

  it('signs with a real service, and verifies Ethereum once ethers is installed', async () => {
    writeFileSync(join(place, 'program.mjs'), PROGRAM);
    const service: RunningService = await startService();
    const sign = async () => {
      const options = ['--disable-proto=delete', '--disallow-code-generation-from-strings', 'program.mjs'];
      const given = [`http://127.0.0.1:${service.port}`, JSON.stringify(DATA_A)];
      return JSON.parse((await run(process.execPath, [...options, ...given], { cwd: place })).stdout);
    };
    try {
      const alone = { verified: true, ethereum: 'NOT_VERIFIABLE', error: 'NetworkError' };
      expect(await sign()).to.deep.equal(alone);
      symlinkSync(join(PROJECT_ROOT, 'node_modules/ethers'), join(place, 'node_modules/ethers'), 'dir');
      expect(await sign()).to.deep.equal({ ...alone, ethereum: true });
    } finally {
      await service.close();
    }
  });

  it('comes with an example that signs', async () => {
    const workplace = new Workplace();
    await workplace.prepare('init');
    await workplace.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
    await workplace.prepare(
      ...['account', 'add', '--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'],
    );
    const service = await workplace.startHere();
    try {
      writeFileSync(join(place, 'example.mjs'), exampleOfReadme());
      const env = { ...process.env, SIGNER_URL: service.url };
      const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: place, env });
      expect(stdout).to.match(/^[1-9A-Za-z]{43,44} [1-9A-Za-z]{86,88}\n$/);
    } finally {
      await service.stop();
      workplace.remove();
    }
  });
});

/** Sorted names of the exports in braces, types included. */
function exportedNames(text: string): readonly string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, names = '']) => names);
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim().replace('type ', ''));
  return names.filter((name) => name !== '').sort();
}

/** Valid in TypeScript and JavaScript. */
function exampleOfReadme(): string {
  const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
  return example;
}
