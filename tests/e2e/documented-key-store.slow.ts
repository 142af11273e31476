import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** Code blocks of a language in docs/reviewers/custody.md. */
function blocks(language: string): readonly string[] {
  const text = readFileSync(join(REPOSITORY, 'docs/reviewers/custody.md'), 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}

describe('docs/reviewers/custody.md', () => {
  /** A partial clone of this project, for the documented command. */
  const clone = mkdtempSync(join(tmpdir(), 'signing-clone-'));
  const place = new Workplace();

  before(async () => {
    for (const entry of ['dist', 'node_modules', 'package.json', 'tests', 'src', 'tsconfig.json']) {
      symlinkSync(join(REPOSITORY, entry), join(clone, entry));
    }
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
    await place.prepare('account', 'add', '--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519');
  });

  after(async () => {
    await place.remove();
    rmSync(clone, { recursive: true, force: true });
  });

  it('has a command that runs unchanged, and prints the documented output', async () => {
    const [command = ''] = blocks('sh');
    const [shown = ''] = blocks('text');
    expect(command).to.include('SIGNING_KEY_STORE_MODULE=tests/doubles/mock-key-store-module.ts');

    const service = await place.startShell(
      `cd '${clone}' && ${command.replace('node --import', 'exec node --import')}`,
    );
    const { status } = await service.post('/sign', { platformId: 'my-exchange', accountId: 'main', data: { a: 1 } });
    expect(status).to.equal(200);
    const { exitCode, stdout, stderr } = await service.stop();
    expect(exitCode).to.equal(0);
    expect(stderr).to.equal(`${shown}key store: purge\n`);
    expect(stdout).to.match(/"level":"warn".*SIGNING_KEY_STORE_MODULE replaces the key vault/);
    expect(readFileSync(join(clone, 'var/review.jsonl'), 'utf8')).to.include('"event":"sign"');
  }).timeout(60_000);
});
