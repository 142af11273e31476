import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { makeCertificate } from '../harness/certificates.ts';
import { addAccount } from '../harness/run-command.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { verifiesEd25519 } from '../harness/signature-checks.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { withTool } from '../harness/with-tool.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

const CLIENTS = readProjectFile('docs/callers/clients.md');

const PYTHON_CLIENT = join(PROJECT_ROOT, 'clients/python/src');
const GO_CLIENT = join(PROJECT_ROOT, 'clients/go');

/** Canonical JSON that every program signs. */
const PAYLOAD = '{"amount":"1","side":"buy"}';

/** The only block of a language that runs. */
function program(language: string): string {
  const [, text = ''] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(CLIENTS) ?? [];
  expect(text, language).to.not.equal('');
  return text;
}

/** TypeScript blocks of the client's page. */
function typedBlocks(): readonly string[] {
  return [...CLIENTS.matchAll(/^```ts no-run\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
}

describe('The programs of docs/callers/clients.md, over HTTPS', function () {
  this.timeout(30_000);
  const place = useWorkplace(['platform add --platform my-exchange --format any']);
  let service: ServiceProcess;

  before(async () => {
    await addAccount(place.environment, 'my-exchange', 'main', 'ed25519');
    const { certFile, keyFile } = makeCertificate(place.folder, 'tls', 30);
    Object.assign(place.environment, { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile });
    service = await place.start();
    mkdirSync(place.path('node_modules'));
    symlinkSync(PROJECT_ROOT, place.path('node_modules/signing-service'), 'dir');
    writeFileSync(place.path('sign.mjs'), program('js'));
    writeFileSync(place.path('sign.py'), program('python'));
    writeFileSync(place.path('sign.go'), program('go'));
    const [requirement, replacement] = /-require=(\S+)@v0.0.0 -replace=(\S+)=/.exec(CLIENTS)?.slice(1) ?? [];
    writeFileSync(
      place.path('go.mod'),
      `module sign\ngo 1.22\nrequire ${requirement} v0.0.0\nreplace ${replacement} => ${GO_CLIENT}\n`,
    );
  });

  /** Runs an unchanged program with the service's address and certificate. */
  async function run(command: string, ...args: readonly string[]) {
    const trust = { SIGNER_CA: 'tls.crt', NODE_EXTRA_CA_CERTS: 'tls.crt' };
    const python = { PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1' };
    const offline = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
    const env = { ...process.env, ...trust, ...python, ...offline, SIGNER_URL: service.url };
    return promisify(execFile)(command, args, { cwd: place.folder, env });
  }

  function expectSignature({ stdout: printed }: { readonly stdout: string }): void {
    const [publicKey = '', signature = ''] = printed.trim().split(' ');
    expect(verifiesEd25519(publicKey, PAYLOAD, signature), printed).to.equal(true);
  }

  it('in JavaScript signs, using the package by name', async () => {
    expectSignature(await run(process.execPath, 'sign.mjs'));
  });

  withTool('python3', '--version', () => {
    it('in Python signs', async () => {
      expectSignature(await run('python3', 'sign.py'));
    });
  });

  withTool('go', 'version', () => {
    it('in Go signs', async () => {
      await run('go', 'build', '-o', 'sign-by-go', 'sign.go');
      expectSignature(await run(place.path('sign-by-go')));
    }).timeout(180_000);
  });
});

describe('docs/callers/clients.md', () => {
  const place = new Workplace();
  after(() => place.remove());

  it('has examples that compile against the types of the package', () => {
    const blocks = typedBlocks();
    expect(blocks).to.have.lengthOf(4);
    mkdirSync(place.path('node_modules'));
    symlinkSync(PROJECT_ROOT, place.path('node_modules/signing-service'), 'dir');
    writeFileSync(place.path('package.json'), '{"type":"module"}');
    const files = blocks.map((_, index) => `block-${index}.ts`);
    for (const [index, text] of blocks.entries()) writeFileSync(place.path(`block-${index}.ts`), text);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: 'es2023', lib: ['es2023', 'dom'], types: [] },
      ...{ module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: true },
    };
    writeFileSync(place.path('tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiler = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', place.folder], { encoding: 'utf8' });
    expect(stdout).to.equal('');
  });

  it('names every method, option and error class of the client', () => {
    const typed = readProjectFile('dist/client/options.d.ts');
    const [, body = ''] = /interface SigningClientOptions \{([\s\S]*?)\n\}/.exec(typed) ?? [];
    const options = [...body.matchAll(/readonly (\w+)\??: /g)].map(([, name = '']) => name);
    const own = readProjectFile('dist/client/signing-client.d.ts');
    const methods = [...own.matchAll(/^ {4}(?!constructor)(\w+)\(/gm)].map(([, name = '']) => name);
    const exported = readProjectFile('dist/client/client.js');
    const classes = [...exported.matchAll(/\b([A-Z]\w*Error)\b(?=,| \})/g)].map(([, name = '']) => name);
    expect([options.length > 10, methods.length > 8, classes.length > 5]).to.deep.equal([true, true, true]);
    const missing = [...options, ...methods, ...classes].filter((name) => !new RegExp(`\`${name}\\b`).test(CLIENTS));
    expect(missing).to.deep.equal([]);
  });
});
