import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { printedBy } from '../harness/command-in-process.ts';
import { Process, type ServiceHere, type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { projectUrl } from '../project-root.ts';
import { SIGN, useAuditedPlaces } from './audited-places.ts';

const HANDLE_SIGNALS = projectUrl('dist/app/signals.js');

/** Handles signals like the service, but starts faster. */
const STAND_IN = `
import { handleSignals } from ${JSON.stringify(HANDLE_SIGNALS.href)};
const stop = async () => console.log('stopped');
handleSignals(Promise.resolve({ stop, drain: () => {}, reload: () => {} }));
setInterval(() => {}, 1000);
console.log('ready');
`;

describe('The service as a process', () => {
  const places = useAuditedPlaces();
  let place: Workplace;

  beforeEach(() => {
    place = places.place;
  });

  it('prints the three commands that configure it if nothing is configured, and they suffice', async () => {
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

  describe('without permission to read its configuration', () => {
    const isRoot = process.getuid?.() === 0;
    const uid = isRoot ? 65_534 : process.getuid?.();

    async function refusal(): Promise<string> {
      // Root can read everything.
      if (isRoot) place.launcher = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
      const { stderr, exitCode } = await place.spawn('main.js', []).ended();
      expect(exitCode).to.equal(2);
      return stderr;
    }

    it('names the file that this user may not reach and the remedy, not the setup commands', async () => {
      places.configure();
      const folder = place.path('closed');
      mkdirSync(folder);
      renameSync(place.path('credentials.json'), join(folder, 'credentials.json'));
      place.environment['SIGNING_CREDENTIALS_FILE'] = join(folder, 'credentials.json');
      chmodSync(place.folder, 0o755);
      chmodSync(folder, 0o000);
      try {
        const stderr = await refusal();
        expect(stderr)
          .to.include(`The service did not start.\n${folder}/credentials.json: this user may not read it; let the user`)
          .and.to.include('read the file and enter the folders above it')
          .and.not.to.include('Nothing is configured');
      } finally {
        chmodSync(folder, 0o700);
      }
    });
  });

  it('names the audit file that has no space for a record, and the remedy', async () => {
    places.configure(places.stopped);
    const { size } = statSync(place.path('audit.jsonl'));
    place.launcher = ['prlimit', `--fsize=${size}`, '--'];
    const { stderr, exitCode } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr)
      .to.include(
        `The service did not start.\nThe audit file ${place.path('audit.000000000001.jsonl')} (SIGNING_AUDIT_FILE)`,
      )
      .and.to.include('cannot be written (EFBIG: ')
      .and.to.include('Raise the file size limit')
      .and.to.match(/This service did not start: start it again after that\.\n$/);
  });

  it('is not ready after SIGTERM, and keeps signing until the delay expires or SIGINT arrives', async () => {
    places.configure();
    place.environment['SIGNING_DRAIN_DELAY_MS'] = '60000';
    const service = await place.start();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    service.process.signal('SIGTERM');
    while ((await fetch(`${service.url}/readyz`)).status !== 503) await sleep(10);
    expect((await service.post('/sign', SIGN)).status).to.equal(200);
    service.process.signal('SIGINT');
    expect(await service.process.ended()).to.include({ exitCode: 0, stderr: '' });
    places.expectCompleteRecord();
  });

  for (const signal of ['SIGINT', 'SIGXCPU'] as const) {
    it(`stops immediately on ${signal}, and exits with code 0`, async () => {
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

  it('exits with code 0 if the signal arrives during startup', async () => {
    places.configure();
    const child = place.spawn('main.js', []);
    // A start touches the audit file first and listens last.
    while (!existsSync(place.path('audit.jsonl'))) await sleep(1);
    child.signal('SIGTERM');
    const { exitCode, stderr } = await child.ended();
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(0);
    expect(places.auditEvents().at(-1)).to.equal('stop');
  });

  it('reloads on SIGHUP', async () => {
    places.configure();
    const service = await place.start();
    await place.prepare('account', 'disable', '--platform', 'alpha', '--account', 'main');
    service.process.signal('SIGHUP');
    await service.process.waitForLine(/"updated":1/);
    expect((await service.post('/sign', SIGN)).status).to.equal(423);
  });

  describe('after it was killed', () => {
    const killed = new Workplace();
    const usage = async (service: ServiceHere | ServiceProcess) =>
      (await service.get('/accounts')).body.data.accounts[0].usage;
    let counted: object;

    before(async () => {
      places.configure(places.configured, killed);
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
    beforeEach(() => places.configure(killed));

    it('starts immediately with its audit file, and continues the counts', async () => {
      const service = await place.startHere();
      expect(await usage(service)).to.deep.equal(counted);
      expect((await service.get('/status')).body.data.performance.totalSigns).to.equal(2);
      await service.stop();
      const stoppedRun = ['start', 'reload', 'sign', 'sign', 'stop'];
      expect(places.auditEvents()).to.deep.equal([
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

    it('quarantines records appended since, without signing them, and warns', async () => {
      const written = readFileSync(place.path('audit.jsonl'), 'utf8');
      places.appendForeignRecords(2);
      const appended = readFileSync(place.path('audit.jsonl'), 'utf8').slice(written.length);
      place.environment['SIGNING_LOG_LEVEL'] = 'warn';
      const { stdout } = await printedBy(async () => (await place.startHere()).stop());
      expect(stdout).to.include('The audit file ended with unsigned records');
      expect(readFileSync(place.path('audit.jsonl'), 'utf8').startsWith(written)).to.equal(true);
      expect(readFileSync(place.path('audit.jsonl.torn'), 'utf8')).to.equal(appended);
      expect(places.auditEvents().slice(-3)).to.deep.equal(['start', 'reload', 'stop']);
      expect(places.auditEvents().filter((event) => event === 'sign')).to.have.length(3);
    });
  });

  it('does not start with the audit file of a running service, and changes nothing', async () => {
    places.configure();
    const first = await place.startHere();
    const { exitCode, stderr } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(
      /^The service did not start\.\nAnother running service is writing the audit file .*SIGNING_AUDIT_FILE/,
    );
    expect((await first.post('/sign', SIGN)).status).to.equal(200);
    await first.stop();
    places.expectCompleteRecord();
  });
}).timeout(60_000);
