import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ExplainedFailure, explainFailure } from '../../src/app/explain-failure.ts';
import { bs58 } from '../harness/base58.ts';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { type Ended, Workplace } from '../harness/service-process.ts';
import { whileServing } from '../harness/start-here.ts';

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fail';
  readonly message: string;
  readonly remedy: string | null;
}

/** Findings by check, and the exit. */
async function examineHere(place: Workplace, ...options: readonly string[]) {
  return resultOf(await place.commandHere('doctor', '--json', ...options));
}

function resultOf({ stdout, stderr, exitCode }: Ended) {
  expect(stderr).to.equal('');
  const { findings, summary }: { findings: readonly Finding[]; summary: object } = JSON.parse(stdout);
  return { findings: Object.fromEntries(findings.map((finding) => [finding.check, finding])), summary, exitCode };
}

/** Start failure of a service; null if it starts. */
async function startFailure(place: Workplace): Promise<ExplainedFailure | null> {
  try {
    return await whileServing(place, async () => null);
  } catch (error) {
    return explainFailure(error);
  }
}

/** Name, size, mode and times of all files. */
function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((name) => {
      const { size, mode, mtimeMs, ctimeMs } = statSync(join(folder, name));
      return [name, size, mode, mtimeMs, ctimeMs].join(' ');
    });
}

describe('signing-service doctor', () => {
  /** A valid installation with a separate master key, a sealed account and one with a key file. */
  const model = new Workplace();
  let secrets: readonly string[];
  let place: Workplace;

  before(async () => {
    mkdirSync(model.path('secrets'), { mode: 0o700 });
    model.environment['SIGNING_MASTER_KEY_FILE'] = model.path('secrets/master.key');
    await model.prepare('init');
    await model.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await model.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    const key = Buffer.from([1, ...randomBytes(31)]);
    writeFileSync(model.path('secrets/hot.hex'), key.toString('hex'), { mode: 0o600 });
    const credentials = JSON.parse(readFileSync(model.path('credentials.json'), 'utf8'));
    credentials.accounts.push({
      ...{ platformId: 'alpha', accountId: 'hot', algorithm: 'eip191' },
      key: { file: 'secrets/hot.hex', format: 'hex' },
    });
    writeFileSync(model.path('credentials.json'), JSON.stringify(credentials));
    const keyIn = (name: string) => Buffer.from(readFileSync(model.path(name), 'utf8').trim(), 'hex');
    secrets = [key, keyIn('secrets/master.key'), keyIn('audit.key')].flatMap((bytes) => [
      bytes.toString('hex'),
      bytes.toString('base64'),
      bs58.encode(bytes),
    ]);
  });
  after(() => model.remove());

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.remove());

  function configure(): void {
    cpSync(model.folder, place.folder, { recursive: true });
    place.environment['SIGNING_MASTER_KEY_FILE'] = place.path('secrets/master.key');
  }

  it('reports what is missing without a configuration and how to create it, and creates nothing', async () => {
    const { findings, exitCode } = await examineHere(place);
    for (const check of ['credentials-file', 'master-key', 'audit-key']) {
      expect(findings[check]?.state, check).to.equal('fail');
      expect(findings[check]?.remedy, check).to.include('signing-service init');
    }
    expect(exitCode).to.equal(2);
    expect(readdirSync(place.folder)).to.deep.equal([]);
  });

  it('exits with code 0 if nothing fails, shows no secret and changes nothing', async () => {
    configure();
    const before = listing(place.folder);
    const { stdout, stderr, exitCode } = await place.commandHere('doctor');
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^\d+ ok, \d+ warnings?, 0 failed$/m);
    expect(exitCode).to.equal(0);
    for (const secret of secrets) expect(stdout).to.not.include(secret);
    expect(listing(place.folder)).to.deep.equal(before);
  });

  it('prints state, check and message in columns, and the remedy below the message', async () => {
    const { stdout } = await place.commandHere('doctor');
    const lines = stdout.split('\n');
    const column = lines.find((line) => line.startsWith('ok '))?.search(/(?<=\S {2,}\S+ {2,})\S/) ?? 0;
    expect(column).to.be.greaterThan(20);
    for (const line of lines.slice(0, lines.indexOf(''))) {
      expect(line).to.match(/^(?:ok {7}|warning {2}|fail {5}|\s{9})/);
      expect(line.slice(column - 2, column + 1), line).to.match(/^ {2}\S$/);
    }
    const at = lines.findIndex((line) => /^fail +master-key /.test(line));
    expect(lines[at + 1]).to.match(/^ +Run `signing-service init`/);
  });

  it('runs all its checks', async () => {
    configure();
    const { findings, exitCode } = await examineHere(place);
    expect(exitCode).to.equal(0);
    expect(findings).to.include.all.keys(
      ...['settings', 'production', 'node', 'native-modules', 'memlock', 'swap', 'dumpable', 'core-dumps', 'debugging'],
      ...['secp256k1-binding', 'open-files', 'key-helpers'],
      ...['node-options', 'clock', 'credentials', 'credentials-file', 'master-key', 'audit-file', 'key-files'],
      ...['audit-key', 'audit-public-key', 'kept-apart', 'audit-room', 'tls'],
    );
    for (const check of [
      'settings',
      'key-helpers',
      'native-modules',
      'memlock',
      'credentials',
      'master-key',
      'audit-key',
      'audit-public-key',
      'kept-apart',
    ]) {
      expect(findings[check]?.state, check).to.equal('ok');
    }
    // Tests run without hardening options.
    expect(findings['node-options']?.state).to.equal('warning');
    for (const finding of Object.values(findings)) {
      if (finding.state === 'ok') expect(finding.remedy, finding.check).to.equal(null);
      else expect(finding.remedy, finding.check).to.be.a('string').that.is.not.empty;
    }
  });

  it('works with and without a running service', async () => {
    configure();
    const service = await place.startHere();
    const { findings, exitCode } = await examineHere(place);
    expect(findings['audit-file']?.state).to.equal('ok');
    expect(findings['clock-order']?.state).to.equal('ok');
    expect(exitCode).to.equal(0);
    const { status } = await service.post('/sign', { platformId: 'alpha', accountId: 'main', data: { a: 1 } });
    expect(status).to.equal(200);
    await service.stop();
  });

  describe('fails if the service does not start', () => {
    /** Each breaks one thing and returns the check that fails. */
    const issues: { readonly [name: string]: () => string } = {
      'an audit file below a file': () => {
        writeFileSync(place.path('file'), '');
        place.environment['SIGNING_AUDIT_FILE'] = place.path('file/audit.jsonl');
        return 'audit-room';
      },
      'an audit file that is a link to a file': () => {
        writeFileSync(place.path('elsewhere.jsonl'), '', { mode: 0o600 });
        symlinkSync('elsewhere.jsonl', place.path('audit.jsonl'));
        return 'audit-file';
      },
      'an audit file with another content': () => {
        writeFileSync(place.path('audit.jsonl'), '{"a":1}\n', { mode: 0o600 });
        return 'audit-file';
      },
      'another master key': () => {
        writeFileSync(place.path('secrets/master.key'), randomBytes(32));
        return 'sealed-accounts';
      },
      'a plaintext key that is not allowed': () => {
        const credentials = JSON.parse(readFileSync(place.path('credentials.json'), 'utf8'));
        credentials.accounts[1].key = { plaintext: randomBytes(32).toString('hex') };
        writeFileSync(place.path('credentials.json'), JSON.stringify(credentials));
        return 'credentials';
      },
      'a pipe for the certificate': () => {
        execFileSync('mkfifo', [place.path('tls.crt')]);
        place.environment['SIGNING_TLS_CERT_FILE'] = place.path('tls.crt');
        place.environment['SIGNING_TLS_KEY_FILE'] = TEST_CERTIFICATE.keyFile;
        return 'tls';
      },
    };

    beforeEach(configure);

    for (const [name, spoil] of Object.entries(issues)) {
      it(name, async () => {
        const check = spoil();
        const { findings, exitCode } = await examineHere(place);
        expect(findings[check]?.state).to.equal('fail');
        expect(exitCode).to.equal(2);
        expect((await startFailure(place))?.exitCode).to.equal(2);
      });
    }
  });

  it('runs the other checks if settings are invalid', async () => {
    place.environment['SIGNING_POTR'] = '1';
    const { findings, exitCode } = await examineHere(place);
    expect(findings['settings']?.state).to.equal('fail');
    expect(findings['settings']?.message).to.include('SIGNING_POTR').and.include('SIGNING_PORT');
    expect(findings).to.include.all.keys('node', 'memlock', 'swap', 'clock');
    expect(exitCode).to.equal(2);
  });

  describe('with a clock reference server', () => {
    let server: Server;
    let ahead = 0;

    before(async () => {
      server = createServer((_request, response) => {
        response.sendDate = false;
        response.writeHead(204, { Date: new Date(Date.now() + ahead * 1000).toUTCString() }).end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    beforeEach(configure);

    for (const [seconds, state, exitCode] of [
      [0, 'ok', 0],
      [20, 'warning', 0],
      [-3600, 'fail', 2],
    ] as const) {
      it(`reports ${state} if the server is ${seconds} s ahead`, async () => {
        ahead = seconds;
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
        const result = await examineHere(place, '--clock-reference', url);
        expect(result.findings['clock']?.state).to.equal(state);
        expect(result.exitCode).to.equal(exitCode);
      });
    }
  });

  it('rejects a reference that is not a server URL', async () => {
    for (const reference of ['nonsense', 'file:///etc/passwd', 'ftp://localhost']) {
      const { stderr, exitCode } = await place.commandHere('doctor', '--clock-reference', reference);
      expect(exitCode, reference).to.equal(2);
      expect(stderr, reference).to.include('--clock-reference').and.include('https://');
    }
  });
}).timeout(60_000);
