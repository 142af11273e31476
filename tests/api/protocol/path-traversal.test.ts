import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../src/app/command-line.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { exchange, postBytes } from '../../harness/raw-client.ts';
import { addAccount, runCommand, settingsIn } from '../../harness/run-command.ts';
import { startHere } from '../../harness/start-here.ts';

/** Ids that leave the folder, or name another file, if used as paths. */
const CLIMBING = [
  '..',
  '../secret',
  '/etc/passwd',
  'main/',
  '..\\..\\secret',
  '..%2fsecret',
  'main\0.key',
  '\uff0e\uff0e/secret',
];

/** Request targets with such ids, plain and encoded once or twice. */
const TARGETS = [
  '/api/v1/accounts/%2e%2e/%2e%2e',
  '/api/v1/accounts/texts/..%2fsecret',
  '/api/v1/accounts/texts/%252e%252e%252fsecret',
  '/api/v1/accounts/texts/../../secret',
  '/api/v1/accounts/texts/%c0%ae%c0%ae%c0%afsecret',
  '/../secret',
  '/master.key',
  '//secret',
];

const SECRET = 'nobody may read this';

describe('Path traversal in ids and paths', () => {
  const parent = mkdtempSync(join(tmpdir(), 'path-traversal-'));
  const folder = join(parent, 'service');
  const environment = {
    ...settingsIn(folder),
    SIGNING_WATCH: 'false',
  };
  let service: RunningService;
  let port: number;
  let found: readonly string[];

  before(async () => {
    mkdirSync(folder);
    writeFileSync(join(parent, 'secret'), SECRET);
    await runCommand(environment, 'init');
    await runCommand(environment, 'platform', 'add', '--platform', 'texts', '--format', 'any');
    await addAccount(environment, 'texts', 'main', 'ed25519');
    service = await startHere(environment);
    port = Number(new URL(service.url).port);
    found = files();
  });
  after(async () => {
    await service.stop();
    rmSync(parent, { recursive: true });
  });
  afterEach(() => expect(files()).to.deep.equal(found));

  /** Every file with its content, except the growing audit file. */
  function files(): readonly string[] {
    const paths = readdirSync(parent, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return paths
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((path) => (path.includes('audit.jsonl') ? path : `${path} ${hashOf(path)}`))
      .sort();
  }

  for (const id of CLIMBING) {
    it(`is rejected as an id: ${JSON.stringify(id)}`, async () => {
      const good = { platformId: 'texts', accountId: 'main', data: { text: 'x' } };
      for (const body of [
        { ...good, accountId: id },
        { ...good, platformId: id },
      ]) {
        const response = await exchange(port, postBytes('/api/v1/sign', JSON.stringify(body)));
        expect(expectIssues(response)).to.have.lengthOf(1);
        const batch = JSON.stringify({ requests: [{ requestId: '1', ...body }] });
        expectIssues(await exchange(port, postBytes('/api/v1/sign/batch', batch)));
      }
      const path = `/api/v1/accounts/${encodeURIComponent(id)}/${encodeURIComponent(id)}`;
      // Nothing encodes dots.
      const response = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expectError(response, 404, 'ACCOUNT_NOT_FOUND');
    });

    it(`is rejected on the command line: ${JSON.stringify(id)}`, async () => {
      const commands = [
        ['platform', 'add', '--platform', id, '--format', 'any'],
        ['account', 'add', '--platform', 'texts', '--account', id, '--algorithm', 'ed25519'],
        ['account', 'add', '--platform', id, '--account', 'main', '--algorithm', 'ed25519'],
        ['account', 'disable', '--platform', 'texts', '--account', id],
      ];
      for (const command of commands) {
        const exitCode = await runCommandLine(['node', 'x', ...command], environment, () => undefined);
        expect(exitCode, command.join(' ')).not.to.equal(0);
      }
    });
  }

  for (const target of TARGETS) {
    it(`is rejected as a request target: ${target}`, async () => {
      const response = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(response.status).to.be.oneOf([400, 404]);
      expect(JSON.stringify(response.body)).not.to.include(SECRET);
    });
  }
});

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
