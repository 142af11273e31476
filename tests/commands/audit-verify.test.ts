import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { AuditChain } from '../doubles/audit-chain.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

describe('audit verify on the audit file of a service', function () {
  this.timeout(60_000);
  const place = useWorkplace(['platform add --platform my-exchange --format any --rule raw'], {
    SIGNING_INSTANCE_ID: 'signer-1',
  });
  /** The newest segment. */
  const audit = place.path('audit.jsonl');
  let service: ServiceProcess;
  let log = '';

  const sign = (accountId: string, data: object = { text: 'hello' }) =>
    service.post('/sign', { platformId: 'my-exchange', accountId, data });

  before(async () => {
    for (const account of ['main', 'spare']) {
      await place.prepare(
        'account',
        'add',
        '--platform',
        'my-exchange',
        '--account',
        account,
        '--algorithm',
        'ed25519',
      );
    }
    service = await place.start();
  });

  it('reports no issues on repeated runs while the service writes and begins segments', async () => {
    const signing = (async () => {
      for (let count = 0; count < 100; count += 1) {
        await sign('main');
        if (count % 10 === 0 && count < 50) service.process.signal('SIGHUP');
      }
    })();
    for (let run = 0; run < 5; run += 1) {
      const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify');
      expect([stderr, exitCode]).to.deep.equal(['', 0]);
      expect(stdout).to.match(/^Records 1 to \d+ \(\d+\), \S+Z to \S+Z, are in order\.\n {2}instances {7}signer-1\n/);
    }
    await signing;
  });

  it('exits with 2 for a completely forged file, and with 3 if no key is known', async () => {
    const forged = new AuditChain();
    forged.append();
    forged.sign();
    mkdirSync(place.path('forged'));
    const [file = ''] = forged.write(place.path('forged/audit.jsonl'));
    const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify', file);
    expect([stdout, exitCode]).to.deep.equal(['', 2]);
    expect(stderr).to.match(/contains the audit public key \S+, which is not trusted/);
    expect(stderr).to.include(place.path('audit.key.pub'));
    const auditors = new Workplace({});
    try {
      const alone = await auditors.commandHere('audit', 'verify', file);
      expect([alone.stderr, alone.exitCode]).to.deep.equal(['', 3]);
      expect(alone.stdout).to.include('No public key is known').and.not.include('Verified');
      expect(JSON.parse((await auditors.commandHere('audit', 'verify', '--json', file)).stdout).verified).to.equal(
        false,
      );
    } finally {
      await auditors.remove();
    }
  });

  it('counts usage like the service', async () => {
    await sign('spare');
    await sign('spare', { text: 7 });
    await sign('no-such');
    const { usage, verified } = JSON.parse(await place.prepare('audit', 'verify', '--usage', '--json'));
    expect(verified).to.equal(true);
    const { body } = await service.get('/accounts');
    for (const { platformId, accountId, usage: served } of body.data.accounts) {
      const counted = usage.accounts.find((one: { accountId: string }) => one.accountId === accountId);
      expect(counted).to.deep.equal({ platformId, accountId, ...served });
    }
    expect(body.data.accounts).to.have.lengthOf(2);
    expect(usage.totals).to.deep.equal({ totalSigns: 101, errorCount: 2 });
  });

  it('finds the last record signed after a graceful shutdown', async () => {
    log = (await service.stop()).stdout;
    const { chains } = JSON.parse(await place.prepare('audit', 'verify', '--json'));
    expect(chains).to.have.lengthOf(1);
    expect(chains[0]).to.include({ uncovered: 0 });
    expect(chains[0].events.stop).to.deep.equal({ success: 1, refused: 0, failed: 0 });
    const byKey = await place.commandHere('audit', 'verify', '--public-key', place.path('audit.key.pub'), place.folder);
    expect([byKey.stderr, byKey.exitCode]).to.deep.equal(['', 0]);
    const alone = await place.commandHere('audit', 'verify', audit);
    expect(alone.exitCode).to.equal(3);
    expect(alone.stdout.replaceAll(/\s+/g, ' ')).to.match(/[1-9] audit files were left out: \S+\.0{11}1\.jsonl, /);
  });

  it('detects a truncated end only with the checkpoint in the service log', async () => {
    const lines = readFileSync(audit, 'utf8').split('\n');
    const cut = 1 + lines.findIndex((line, index) => index >= 20 && line.includes('"sig":'));
    const { seq } = JSON.parse(lines[cut - 1] ?? '');
    const checkpoints = log.split('\n').filter((line) => line.includes('Audit checkpoint.'));
    expect(checkpoints).to.not.be.empty;
    writeFileSync(place.path('service.log'), checkpoints.map((line) => `${line}\n`).join(''));
    const checkpoint = ['--checkpoint', place.path('service.log')];
    expect((await place.commandHere('audit', 'verify', ...checkpoint)).exitCode).to.equal(0);
    truncateSync(audit, Buffer.byteLength(lines.slice(0, cut).join('\n')) + 1);
    expect((await place.commandHere('audit', 'verify')).exitCode).to.equal(0);
    const { stderr, exitCode } = await place.commandHere('audit', 'verify', ...checkpoint);
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(
      new RegExp(
        `line ${cut}, ends with record ${seq}, but the checkpoint of \\S+ in \\S+ covers record \\d+: \\d+ records were cut off\\.`,
      ),
    );
  });

  it('reports unreadable inputs, and exits with 2', async () => {
    mkdirSync(place.path('empty'));
    for (const args of [
      [place.path('missing.jsonl')],
      [place.path('empty')],
      ['--public-key', place.path('missing.pub')],
      ['--checkpoint', audit.concat('.no')],
    ]) {
      const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify', ...args);
      expect([stdout, exitCode], args.join(' ')).to.deep.equal(['', 2]);
      expect(stderr).to.match(
        /^error: The (audit file|folder|public key|checkpoint file) \S+ (does not exist|has no segment|is neither a file with an Ed25519 public key)/,
      );
      expect(stderr).to.not.match(/^\s+at /m);
    }
  });
});
