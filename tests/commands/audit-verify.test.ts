import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AuditChain } from '../doubles/audit-chain.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

describe('audit verify on the audit file of a service', function () {
  this.timeout(60_000);
  const place = useWorkplace(['platform add --platform my-exchange --format any --rule raw'], {
    SIGNING_INSTANCE_ID: 'signer-1',
  });
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

  it('reports no issues on repeated runs while the service is writing', async () => {
    const signing = (async () => {
      for (let count = 0; count < 100; count += 1) await sign('main');
    })();
    for (let run = 0; run < 3; run += 1) {
      const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify');
      expect(stderr).to.equal('');
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(/^Records 1 to \d+ \(\d+\), \S+Z to \S+Z, are in order\.\n {2}instances {7}signer-1\n/);
    }
    await signing;
  });

  it('exits with 2 for a completely forged file, and with 3 if no key is known', async () => {
    const forged = new AuditChain();
    forged.append();
    forged.sign();
    const [file = ''] = forged.write(place.path('forged.jsonl'));
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

  it('is incomplete if rotated files are compressed by other programs than gzip, and names them', async () => {
    const compressed = place.path('audit.jsonl.2.xz');
    writeFileSync(compressed, 'anything');
    const { stdout, exitCode } = await place.commandHere('audit', 'verify');
    const named = await place.commandHere('audit', 'verify', '--json', audit);
    rmSync(compressed);
    expect(exitCode).to.equal(3);
    expect(stdout.replaceAll(/\s+/g, ' ')).to.include(`1 compressed file was left out: ${compressed}.`);
    expect(named.exitCode).to.equal(3);
    expect(JSON.parse(named.stdout)).to.deep.include({ verified: false, leftOut: [compressed] });
    expect((await place.commandHere('audit', 'verify')).exitCode).to.equal(0);
  });

  it('reads gzip files, and exits with 2 for a truncated one, whose path it names', async () => {
    const chain = new AuditChain();
    chain.append();
    chain.beginSegment('size');
    chain.append();
    chain.sign();
    const key = ['--public-key', chain.publicKey.toString('base64')];
    const [first = '', second = ''] = chain.write(place.path('zipped.jsonl'));
    const compressed = `${first}.gz`;
    const bytes = gzipSync(readFileSync(first));
    rmSync(first);
    writeFileSync(compressed, bytes);
    const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify', ...key, second, compressed);
    writeFileSync(compressed, bytes.subarray(0, -20));
    const truncated = await place.commandHere('audit', 'verify', ...key, second, compressed);
    for (const file of [compressed, second]) rmSync(file);
    expect([stderr, exitCode]).to.deep.equal(['', 0]);
    expect(stdout).to.include(compressed).and.include('Verified: 4 records, 2 files');
    expect(truncated.exitCode).to.equal(2);
    expect(truncated.stderr)
      .to.match(/^error: \S+\.gz is a truncated gzip file/)
      .and.include(compressed);
  });

  it('is incomplete if files between two chains may be missing', async () => {
    const early = new AuditChain();
    early.sign();
    const late = new AuditChain({ instanceId: 'later', head: { ...early.head, seq: 40 }, reason: 'key' });
    late.sign();
    const [first = ''] = early.write(place.path('early.jsonl'));
    const [second = ''] = late.write(place.path('late.jsonl'));
    const keys = [early, late].flatMap(({ publicKey }) => ['--public-key', publicKey.toString('base64')]);
    const { stdout, exitCode } = await place.commandHere('audit', 'verify', ...keys, first, second);
    const alone = await place.commandHere('audit', 'verify', ...keys, second);
    for (const file of [first, second]) rmSync(file);
    expect(exitCode).to.equal(3);
    expect(stdout.replaceAll(/\s+/g, ' ')).to.include(
      `${second} begins with record 41. The records before it were not given`,
    );
    expect(stdout).to.not.include('Verified');
    expect(alone.exitCode).to.equal(0);
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
    const byKey = await place.commandHere('audit', 'verify', '--public-key', place.path('audit.key.pub'));
    expect([byKey.stderr, byKey.exitCode]).to.deep.equal(['', 0]);
  });

  it('exits with 2 and names file and line of a flipped byte', async () => {
    const content = readFileSync(audit);
    const at = content.indexOf('\n', 5000) + 300;
    const line = content.subarray(0, at).toString('latin1').split('\n').length;
    content.writeUInt8(content.readUInt8(at) ^ 2, at);
    writeFileSync(place.path('flipped.jsonl'), content);
    const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify', place.path('flipped.jsonl'));
    expect([stdout, exitCode]).to.deep.equal(['', 2]);
    expect(stderr).to.match(new RegExp(`^error: ${place.path('flipped.jsonl')}, line ${line}, (was altered|is not)`));
    expect(stderr)
      .to.include('Not verified.')
      .and.not.match(/^\s+at /m);
  });

  it('detects a truncated end only with the checkpoint in the service log', async () => {
    const lines = readFileSync(audit, 'utf8').split('\n');
    const cut = 1 + lines.findIndex((line, index) => index >= 50 && line.includes('"sig":'));
    const checkpoints = log.split('\n').filter((line) => line.includes('Audit checkpoint.'));
    expect(checkpoints).to.not.be.empty;
    writeFileSync(place.path('service.log'), checkpoints.map((line) => `${line}\n`).join(''));
    const checkpoint = ['--checkpoint', place.path('service.log')];
    expect((await place.commandHere('audit', 'verify', ...checkpoint)).exitCode).to.equal(0);
    truncateSync(
      audit,
      Buffer.byteLength(
        lines
          .slice(0, cut)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
    expect((await place.commandHere('audit', 'verify')).exitCode).to.equal(0);
    const { stderr, exitCode } = await place.commandHere('audit', 'verify', ...checkpoint);
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(
      new RegExp(
        `line ${cut}, ends with record ${cut}, but the checkpoint of \\S+ in \\S+ covers record \\d+: \\d+ records were cut off\\.`,
      ),
    );
  });

  it('reports unreadable inputs, and exits with 2', async () => {
    for (const args of [
      [place.path('missing.jsonl')],
      [place.folder],
      ['--public-key', place.path('missing.pub')],
      ['--checkpoint', audit.concat('.no')],
    ]) {
      const { stdout, stderr, exitCode } = await place.commandHere('audit', 'verify', ...args);
      expect([stdout, exitCode], args.join(' ')).to.deep.equal(['', 2]);
      expect(stderr).to.match(
        /^error: The (audit file|public key|checkpoint file) \S+ (does not exist|is a folder|is neither a file nor the base64 of a 32-byte key)/,
      );
      expect(stderr).to.not.match(/^\s+at /m);
    }
  });
});
