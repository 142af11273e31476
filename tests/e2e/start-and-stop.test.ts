import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { printedBy } from './command-in-process.ts';
import { Process, type ServiceHere, type ServiceProcess, Workplace } from './service-process.ts';

const HANDLE_SIGNALS = new URL('../../dist/composition/handle-signals.js', import.meta.url);

/** Handles signals as the service does, and starts sooner. */
const STAND_IN = `
import { handleSignals } from ${JSON.stringify(HANDLE_SIGNALS.href)};
const stop = async () => console.log('stopped');
handleSignals(Promise.resolve({ stop, drain: () => {}, reload: () => {} }));
setInterval(() => {}, 1000);
console.log('ready');
`;

const SIGN = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

describe('The service as a process', () => {
  const configured = new Workplace();
  /** Where the service signed once and stopped. */
  const stopped = new Workplace();
  /** What it signed with there. */
  let signature: string;
  let place: Workplace;

  before(async () => {
    await configured.prepare('init');
    await configured.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await configured.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    configure(configured, stopped);
    const service = await stopped.startHere();
    const { body } = await service.post('/sign', SIGN);
    signature = body.data.signature;
    await service.stop();
  });
  after(() => Promise.all([configured.remove(), stopped.remove()]));

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.remove());

  function configure(from = configured, to = place): void {
    cpSync(from.folder, to.folder, { recursive: true });
  }

  function records() {
    const lines = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  function auditEvents(): readonly string[] {
    return records().map(({ event }) => event);
  }

  /** Adds records that follow the last one of the audit file, made with nothing but SHA-256. */
  function appendForeignRecords(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const { seq, time } = records().at(-1);
      const last = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
      const prevHash = `sha256:${createHash('sha256').update(last).digest('hex')}`;
      const { sig: _, ...sign } = records().find(({ event }) => event === 'sign');
      appendFileSync(place.path('audit.jsonl'), `${JSON.stringify({ ...sign, seq: seq + 1, time, prevHash })}\n`);
    }
  }

  /** The record of a service that signed and stopped. */
  function expectCompleteRecord(): void {
    expect(auditEvents()).to.deep.equal(['segment', 'start', 'reload', 'sign', 'stop']);
    expect(records().at(-1).sig).to.be.a('string');
  }

  it('says which three commands configure it when nothing is configured, and as printed they are enough', async () => {
    const { stderr, exitCode } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    const commands = stderr.split('\n').flatMap((line) => /^ {2}(node \S*dist\/cli\.js .*)$/.exec(line)?.[1] ?? []);
    expect(commands.map((command) => command.replace(/^node \S+ /, '').split(' --')[0])).to.deep.equal([
      'init',
      'platform add',
      'account add',
    ]);
    const options = { cwd: place.folder, env: { ...process.env, ...place.environment }, encoding: 'utf8' } as const;
    for (const command of commands) {
      const { status, stderr: printed } = spawnSync('sh', ['-c', command], options);
      expect(status, printed).to.equal(0);
    }
    const service = await place.startHere();
    const { status } = await service.post('/sign', { platformId: 'my-exchange', accountId: 'main', data: { a: 1 } });
    expect(status).to.equal(200);
  });

  describe('that may not read its configuration', () => {
    const uid = process.getuid?.() === 0 ? 65_534 : process.getuid?.();

    async function refusal(): Promise<string> {
      // Root may read everything.
      if (uid === 65_534) place.launcher = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
      const { stderr, exitCode } = await place.spawn('main.js', []).ended();
      expect(exitCode).to.equal(2);
      return stderr;
    }

    it('names the folder that denies it, the user and what to do, and not how to configure it', async () => {
      configure();
      const folder = place.path('closed');
      mkdirSync(folder);
      renameSync(place.path('credentials.json'), join(folder, 'credentials.json'));
      place.environment['SIGNING_CREDENTIALS_FILE'] = join(folder, 'credentials.json');
      chmodSync(place.folder, 0o755);
      chmodSync(folder, 0o000);
      try {
        const stderr = await refusal();
        expect(stderr)
          .to.include(
            `The service did not start.\n${folder}/credentials.json: can't be read: permission denied (EACCES)`,
          )
          .and.to.include(`on the folder ${folder} for `)
          .and.to.include(`uid ${uid}`)
          .and.to.include('let this user enter that folder and read the file')
          .and.not.to.include('Nothing is configured');
      } finally {
        chmodSync(folder, 0o700);
      }
    });
  });

  it('names the audit file that has no room for a record, and what to do', async () => {
    configure(stopped);
    const { size } = statSync(place.path('audit.jsonl'));
    place.launcher = ['prlimit', `--fsize=${size}`, '--'];
    const { stderr, exitCode } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr)
      .to.include(`The service did not start.\nThe audit file ${place.path('audit.jsonl')} (SIGNING_AUDIT_FILE)`)
      .and.to.include('can not be written (EFBIG: ')
      .and.to.include('Raise the limit on the size of files')
      .and.to.match(/This one has not started: start it again after that\.\n$/);
  });

  it('does not start open where files of mutual authentication are named and SIGNING_AUTH was forgotten', async () => {
    configure();
    place.environment['SIGNING_AUTH_AUTHORITIES_FILE'] = place.path('authorities.txt');
    const { text, exitCode } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text).to.include('SIGNING_AUTH_AUTHORITIES_FILE is set while SIGNING_AUTH is off');
    // The commands that make the files work before it is on.
    await place.prepare('token', 'authority', '--authority-key-file', place.path('authority.key'));
    expect(existsSync(place.path('authorities.txt'))).to.equal(true);
  });

  it('ends with code 0 on SIGTERM when it has answered the request in flight, its audit record complete', async () => {
    configure();
    const service = await place.start();
    const body = JSON.stringify(SIGN);
    const call = request(`${service.url}/api/v1/sign`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
    });
    call.write(body.slice(0, 10));
    // The service has seen the request once it answers another one that came after it.
    await service.get('/status');
    const ended = service.stop();
    await service.get('/status').then(
      () => undefined,
      () => undefined,
    );
    call.end(body.slice(10));
    const [response] = await once(call, 'response');
    expect(response.statusCode).to.equal(200);
    response.resume();
    expect(await ended).to.include({ exitCode: 0, stderr: '' });
    expectCompleteRecord();
  });

  it('is not ready any more after SIGTERM, and goes on signing until the delay is over or SIGINT comes', async () => {
    configure();
    place.environment['SIGNING_DRAIN_DELAY_MS'] = '60000';
    const service = await place.start();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    service.process.signal('SIGTERM');
    while ((await fetch(`${service.url}/readyz`)).status !== 503) await sleep(10);
    expect((await service.post('/sign', SIGN)).status).to.equal(200);
    service.process.signal('SIGINT');
    expect(await service.process.ended()).to.include({ exitCode: 0, stderr: '' });
    expectCompleteRecord();
  });

  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGXCPU'] as const) {
    it(`stops at once on ${signal}, and then ends with code 0`, async () => {
      const child = new Process(spawn(process.execPath, ['--input-type=module', '--eval', STAND_IN]));
      try {
        await child.waitForLine(/ready/);
        child.signal(signal);
        expect(await child.ended()).to.deep.equal({ stdout: 'ready\nstopped\n', stderr: '', exitCode: 0 });
      } finally {
        await child.kill();
      }
    });
  }

  it('ends with code 0 when the signal comes while it still starts', async () => {
    configure();
    const child = place.spawn('main.js', []);
    // The audit file is the first thing that a start touches; listening is the last.
    while (!existsSync(place.path('audit.jsonl'))) await sleep(1);
    child.signal('SIGTERM');
    const { exitCode, stderr } = await child.ended();
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(0);
    expect(auditEvents().at(-1)).to.equal('stop');
  });

  it('reloads on SIGHUP', async () => {
    configure();
    const service = await place.start();
    await place.prepare('account', 'disable', '--platform', 'alpha', '--account', 'main');
    service.process.signal('SIGHUP');
    await service.process.waitForLine(/"updated":1/);
    expect((await service.post('/sign', SIGN)).status).to.equal(423);
  });

  it('goes on signing after a restart, and appends to its audit file', async () => {
    configure(stopped);
    const service = await place.startHere();
    const again = await service.post('/sign', SIGN);
    expect(again.body.data.signature).to.equal(signature);
    await service.stop();
    const run = ['start', 'reload', 'sign', 'stop'];
    expect(auditEvents()).to.deep.equal(['segment', ...run, ...run]);
  });

  it('says in its start record which version runs, as which instance, with which configuration and which keys', async () => {
    configure();
    place.environment['SIGNING_INSTANCE_ID'] = 'signer-7';
    await (await place.startHere()).stop();
    const digest = execFileSync('sha256sum', [place.path('credentials.json')], { encoding: 'utf8' }).slice(0, 64);
    const pem = readFileSync(place.path('audit.key.pub'), 'utf8');
    const publicKey = createPublicKey(pem).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const [segment, start, reload] = records();
    expect(segment.data).to.deep.equal({ reason: 'first', auditPublicKey: publicKey });
    expect(start).to.deep.include({ event: 'start', outcome: 'success', instanceId: 'signer-7' });
    expect(start.data).to.deep.equal({
      version,
      node: process.version,
      configurationDigest: `sha256:${digest}`,
      keyStore: 'SodiumKeyStore',
      auditPublicKey: publicKey,
    });
    expect(reload.data.configurationDigest).to.equal(`sha256:${digest}`);
  });

  describe('that was killed', () => {
    const killed = new Workplace();
    const usage = async (service: ServiceHere | ServiceProcess) =>
      (await service.get('/accounts')).body.data.accounts[0].usage;
    let counted: object;

    before(async () => {
      configure(configured, killed);
      const first = await killed.startHere();
      await first.post('/sign', SIGN);
      await first.post('/sign', { ...SIGN, data: { a: 2 ** 60 } });
      const before = await usage(first);
      expect(before).to.deep.include({ totalSigns: 1, errorCount: 1 });
      await first.stop();
      const second = await killed.start();
      expect(await usage(second)).to.deep.equal(before);
      await second.post('/sign', SIGN);
      counted = await usage(second);
      expect(counted).to.deep.include({ totalSigns: 2 });
      await second.process.kill();
    });
    after(() => killed.remove());
    beforeEach(() => configure(killed));

    it('starts at once on its audit file, and counts on', async () => {
      const service = await place.startHere();
      expect(await usage(service)).to.deep.equal(counted);
      expect((await service.get('/status')).body.data.performance.totalSigns).to.equal(2);
      await service.stop();
      const stoppedRun = ['start', 'reload', 'sign', 'sign', 'stop'];
      expect(auditEvents()).to.deep.equal([
        'segment',
        ...stoppedRun,
        'start',
        'reload',
        'sign',
        'start',
        'reload',
        'stop',
      ]);
    });

    it('vouches for no record that was appended since: it moves them aside, and warns', async () => {
      const written = readFileSync(place.path('audit.jsonl'), 'utf8');
      appendForeignRecords(2);
      const appended = readFileSync(place.path('audit.jsonl'), 'utf8').slice(written.length);
      place.environment['SIGNING_LOG_LEVEL'] = 'warn';
      const { stdout } = await printedBy(async () => (await place.startHere()).stop());
      expect(stdout).to.include('The audit file ended in records behind its last signed one');
      expect(readFileSync(place.path('audit.jsonl'), 'utf8').startsWith(written)).to.equal(true);
      expect(readFileSync(place.path('audit.jsonl.torn'), 'utf8')).to.equal(appended);
      expect(auditEvents().slice(-3)).to.deep.equal(['start', 'reload', 'stop']);
      expect(auditEvents().filter((event) => event === 'sign')).to.have.length(3);
    });
  });

  const settings: [string, { [name: string]: string }, RegExp][] = [
    ['an unknown setting', { SIGNING_CREDENTIAL_FILE: 'x' }, /Did you mean SIGNING_CREDENTIALS_FILE\?/],
    ['a port that is none', { SIGNING_PORT: '99999' }, /SIGNING_PORT has to be a whole number from 0 to 65535/],
    ['a host that is none of this machine', { SIGNING_HOST: '192.0.2.1' }, /SIGNING_HOST/],
    ['a certificate without its key', { SIGNING_TLS_CERT_FILE: 'cert.pem' }, /SIGNING_TLS_KEY_FILE/],
    [
      'a certificate file that is not there',
      { SIGNING_TLS_CERT_FILE: 'no-cert.pem', SIGNING_TLS_KEY_FILE: 'no-key.pem' },
      /SIGNING_TLS_CERT_FILE: .*no-cert\.pem/,
    ],
    [
      'a master key that is not there',
      { SIGNING_MASTER_KEY_FILE: '/nonexistent/master.key' },
      /\/nonexistent\/master\.key/,
    ],
    ['an audit file that can not be opened', { SIGNING_AUDIT_FILE: '/proc/audit.jsonl' }, /SIGNING_AUDIT_FILE/],
    ['an audit file in a folder that can not be made', { SIGNING_AUDIT_FILE: '/proc/a/b.jsonl' }, /SIGNING_AUDIT_FILE/],
    [
      'an audit key that is not there',
      { SIGNING_AUDIT_KEY_FILE: '/nonexistent/audit.key' },
      /\/nonexistent\/audit\.key.*run `signing-service init`/,
    ],
    ['a key store module that is not there', { SIGNING_KEY_STORE_MODULE: 'no-module.js' }, /SIGNING_KEY_STORE_MODULE/],
  ];
  for (const [name, setting, message] of settings) {
    it(`does not start with ${name}, and says so`, async () => {
      configure();
      Object.assign(place.environment, setting);
      const { exitCode, text } = await place.refusalHere();
      expect(exitCode).to.equal(2);
      expect(text).to.match(message);
      expect(text).to.not.match(/^\s+at /m);
    });
  }

  it('does not start with a wrong credentials file, and names file, path and fault', async () => {
    configure();
    const content = readFileSync(place.path('credentials.json'), 'utf8');
    writeFileSync(place.path('credentials.json'), content.replace('"active"', '"activ"'));
    const { exitCode, text } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text).to.include(place.path('credentials.json'));
    expect(text).to.match(/accounts\[0\]\.status: /);
  });

  it('does not start on the audit file of a running service, and harms nothing', async () => {
    configure();
    const first = await place.startHere();
    const { exitCode, stderr } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(
      /^The service did not start\.\nAnother running service writes the audit file .*SIGNING_AUDIT_FILE/,
    );
    expect((await first.post('/sign', SIGN)).status).to.equal(200);
    await first.stop();
    expectCompleteRecord();
  });

  it('does not start on records that were appended after an orderly stop, and says what to do', async () => {
    configure(stopped);
    const { seq } = records().at(-1);
    appendForeignRecords(2);
    const before = readFileSync(place.path('audit.jsonl'), 'utf8');
    const { exitCode, text } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text)
      .to.include(`The audit file ${place.path('audit.jsonl')} goes on behind record ${seq}`)
      .and.include(`records ${seq + 1} to ${seq + 2} were added since`)
      .and.include(`move ${place.path('audit.jsonl.usage')}`);
    expect(readFileSync(place.path('audit.jsonl'), 'utf8')).to.equal(before);
  });

  it('does not start on lines that were appended after an orderly stop, with its last line once more behind them', async () => {
    configure(stopped);
    const last = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n').at(-1);
    for (const lines of [`${last}\n`, `forged\n${last}\n`]) {
      appendFileSync(place.path('audit.jsonl'), lines);
      const before = readFileSync(place.path('audit.jsonl'), 'utf8');
      const { exitCode, text } = await place.refusalHere();
      expect(exitCode).to.equal(2);
      expect(text)
        .to.include(`The audit file ${place.path('audit.jsonl')} has`)
        .and.include('where nothing behind record');
      expect(readFileSync(place.path('audit.jsonl'), 'utf8')).to.equal(before);
    }
  });

  it('goes on in a new audit file when the old one is deleted, and what that held is saved beside it', async () => {
    configure();
    const service = await place.startHere();
    const written = readFileSync(place.path('audit.jsonl'), 'utf8');
    // While records come in, the file is looked at with each group; after a pause, before the next one.
    await sleep(100);
    rmSync(place.path('audit.jsonl'));
    const { result, stdout } = await printedBy(() => service.post('/sign', SIGN));
    expect(result.status).to.equal(200);
    expect(stdout).to.include('was removed by another program');
    expect(readFileSync(place.path('audit.000000000001-000000000003.jsonl'), 'utf8')).to.equal(written);
    expect(records()[0]).to.deep.include({ seq: 4, event: 'segment' });
    expect(records()[0].data.reason).to.equal('removed');
    expect(auditEvents()).to.deep.equal(['segment', 'sign']);
  });

  it('releases no signature while another file is in the place of its audit file, and goes on when the operator says so', async () => {
    configure();
    place.environment['SIGNING_LOG_LEVEL'] = 'info';
    const { stdout } = await printedBy(async () => {
      const service = await place.startHere();
      writeFileSync(place.path('other'), 'not the audit file\n');
      renameSync(place.path('other'), place.path('audit.jsonl'));
      const { status, body } = await service.post('/sign', SIGN);
      expect(status).to.equal(500);
      expect(body.error.code).to.equal('SIGNATURE_FAILED');
      expect(body.error.details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
      expect((await service.get('/status')).body.data.status).to.equal('degraded');
      await service.reload();
      expect((await service.post('/sign', SIGN)).status).to.equal(200);
      expect((await service.get('/status')).body.data.status).to.equal('healthy');
      await service.stop();
    });
    expect(stdout).to.include('The audit file can be written again');
    const [setAside = ''] = readdirSync(place.folder).filter((name) => name.startsWith('audit.jsonl.set-aside-'));
    expect(readFileSync(place.path(setAside), 'utf8')).to.equal('not the audit file\n');
  });

  it('does not start on a port that is taken, and names the setting', async () => {
    configure();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    place.environment['SIGNING_PORT'] = String((other.address() as AddressInfo).port);
    const { exitCode, text } = await place.refusalHere();
    other.close();
    expect(exitCode).to.equal(2);
    expect(text).to.match(/SIGNING_PORT/);
  });
}).timeout(60_000);
