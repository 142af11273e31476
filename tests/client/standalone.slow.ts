import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type RunningService, startService } from '../harness/running-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { MODULE_RESOLUTIONS, typedProgram, typeErrors } from './typed-consumer.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const BUILT = join(REPOSITORY, 'dist/client');

/** Specifiers of all imports and exports of a compiled module, dynamic ones included. */
const IMPORTS = /^(?:import|export)\b(?:[^'\n]*?\bfrom)? '([^']+)'|\bimport\('([^']+)'\)/gm;

const PROGRAM = `
import { SigningClient, VerificationError } from './client/client.js';
const [url, data] = process.argv.slice(2);
const client = new SigningClient({ url, verifySignatures: 'always', expectedPayloads: { alpha: 'jcs' } });
const { verified } = await client.sign({ platformId: 'alpha', accountId: 'main', data: JSON.parse(data) });
const ethereum = { platformId: 'verbatim', accountId: 'eip191-0', data: { text: 'x' } };
const error = await client.sign(ethereum).catch((caught) => caught);
console.log(JSON.stringify({ verified, reason: error instanceof VerificationError ? error.reason : String(error) }));
`;

describe('The built client', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-client-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('loads ethers on demand, and otherwise only Node modules and its own files', () => {
    const files = readdirSync(BUILT).filter((file) => file.endsWith('.js'));
    expect(files).to.have.length.above(10);
    const imports = files.flatMap((file) =>
      [...readFileSync(join(BUILT, file), 'utf8').matchAll(IMPORTS)].map(([, named, called]) => named ?? called ?? ''),
    );
    const foreign = imports.filter((specifier) => !/^(node:|\.\/[a-z0-9-]+\.js$)/.test(specifier));
    expect([...new Set(foreign)].sort()).to.deep.equal(['ethers/crypto', 'ethers/transaction']);
    const late = readFileSync(join(BUILT, 'ethereum-signature.js'), 'utf8');
    expect(late).to.not.match(/^import .*ethers/m);
  });

  it('runs without installed packages, and reports what it cannot verify', async () => {
    cpSync(BUILT, join(folder, 'client'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.js'), PROGRAM);
    const service: RunningService = await startService();
    try {
      const options = ['--disable-proto=delete', '--disallow-code-generation-from-strings', 'program.js'];
      const given = [`http://127.0.0.1:${service.port}`, JSON.stringify(DATA_A)];
      const { stdout } = await promisify(execFile)(process.execPath, [...options, ...given], { cwd: folder });
      expect(JSON.parse(stdout)).to.deep.equal({ verified: true, reason: 'NOT_VERIFIABLE' });
    } finally {
      await service.close();
    }
  });

  for (const moduleResolution of MODULE_RESOLUTIONS) {
    it(`has types that compile in strict mode with module resolution ${moduleResolution}`, () => {
      const place = join(folder, moduleResolution);
      const installed = join(place, 'node_modules/signing-service');
      cpSync(BUILT, join(installed, 'dist/client'), { recursive: true });
      cpSync(join(REPOSITORY, 'package.json'), join(installed, 'package.json'));
      expect(typeErrors(place, typedProgram('signing-service/client'), moduleResolution)).to.equal('');
    });
  }
});
