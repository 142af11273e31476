import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { segmentPath } from '../../src/adapters/audit/segments/segment-names.ts';
import { AuditChain } from '../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';
import { Process, Workplace } from '../harness/service-process.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const CLI = join(PROJECT_ROOT, 'dist/cli.js');
const TIMEOUT_MS = 10_000;

describe('audit tail as a process', () => {
  let place: Workplace;
  let file: string;
  let chain: AuditChain;

  beforeEach(() => {
    place = new Workplace({ NO_COLOR: '1' });
    file = place.path('audit.jsonl');
    chain = new AuditChain();
    for (let count = 0; count < 20; count += 1) chain.append();
  });
  afterEach(() => place.remove());

  function tail(...args: readonly string[]): Process {
    return place.spawn('cli.js', ['audit', 'tail', ...args]);
  }

  async function until(child: Process, lines: number): Promise<readonly string[]> {
    for (let waited = 0; waited < TIMEOUT_MS; waited += 20) {
      const printed = child.stdout.split('\n').slice(0, -1);
      if (printed.length >= lines) return printed;
      await sleep(20);
    }
    throw new Error(`Not ${lines} lines: ${child.stdout}`);
  }

  function shell(command: string) {
    const env = { ...process.env, ...place.environment, NODE: process.execPath, CLI };
    return spawnSync('sh', ['-c', command], { cwd: place.folder, env, encoding: 'utf8', timeout: 15_000 });
  }

  it('shows the last ten records, follows across a rotation, and exits with 0 on Ctrl-C', async () => {
    chain.write(file);
    const child = tail();
    expect(await until(child, 10)).to.have.length(10);
    chain.beginSegment('size');
    chain.append(sampleAuditEntry({ outcome: 'refused', errorCode: 'ACCOUNT_LOCKED' }));
    writeFileSync(segmentPath(file, 22), chain.text());
    const printed = await until(child, 12);
    expect(printed[9]).to.match(/^2026-11-20T08:49:00\.123Z {2}#21 {2}success {2}sign {2}alpha\/main {2}ed25519 /);
    expect(printed[10]).to.match(/ #22 {2}success {2}segment {2}new file: size, /);
    expect(printed[11]).to.match(/ #23 {2}refused {2}sign {2}alpha\/main {2}ed25519 {2}ACCOUNT_LOCKED /);
    child.signal('SIGINT');
    const { exitCode, stderr, stdout } = await child.ended();
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout).to.not.contain('\u001b');
  });

  it('shows signatures of a running service', async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    const child = tail('--json', '--account', 'alpha/main', '--account', 'nobody');
    const service = await place.start();
    for (const accountId of ['main', 'nobody', 'else', 'main']) {
      await service.post('/sign', { platformId: 'alpha', accountId, data: { a: 1 } });
    }
    const printed = await until(child, 3);
    child.signal('SIGTERM');
    expect((await child.ended()).exitCode).to.equal(0);
    await service.stop();
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(printed).to.deep.equal(lines.filter((line) => /"event":"sign".*"accountId":"(main|nobody)"/.test(line)));
  });

  it('with --json prints the lines of the file, and reports damage only on standard error', async () => {
    const lines = chain.lines.with(10, 'no record\u001b[2J');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    const { stdout, stderr, exitCode } = await tail('--json', '--no-follow', '--lines', '100').ended();
    expect(exitCode).to.equal(0);
    expect(stdout).to.equal(
      chain.lines
        .toSpliced(10, 1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(stderr).to.equal(
      `${file}: the line at byte ${chain.lines.slice(0, 10).join('\n').length + 1}, after record 10, is not an audit record\n`,
    );
  });

  it('exits silently with 0 on the first record after the pipe is closed', async () => {
    chain.write(file);
    const env = { ...process.env, ...place.environment, NODE: process.execPath, CLI };
    const command = '{ "$NODE" "$CLI" audit tail --json -n 1; echo "code $?" >&2; } | head -n 1';
    const child = new Process(spawn('sh', ['-c', command], { cwd: place.folder, env }));
    let hasEnded = false;
    const ended = child.ended().finally(() => {
      hasEnded = true;
    });
    await until(child, 1);
    for (let count = 0; count < 100 && !hasEnded; count += 1) {
      chain.append();
      appendFileSync(file, `${chain.lines.at(-1)}\n`);
      await sleep(50);
    }
    expect(hasEnded).to.equal(true);
    const { stdout, stderr } = await ended;
    expect({ stdout, stderr }).to.deep.equal({ stdout: `${chain.lines[20]}\n`, stderr: 'code 0\n' });
  });

  it('starts at a given time, in any audit file', async () => {
    chain.append(sampleAuditEntry({ time: '2026-11-20T09:00:00.000Z' }));
    const other = place.path('other.jsonl');
    chain.write(other);
    const { stdout } = await tail(other, '--since', '2026-11-20T08:50', '--no-follow').ended();
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('  ').slice(0, 4)),
    ).to.deep.equal([['2026-11-20T09:00:00.000Z', `#${chain.head.seq}`, 'success', 'sign']]);
  });

  it('on a terminal has colour, a date heading, and no line wider than the terminal', () => {
    chain.write(file);
    const { stdout } = shell(
      `unset NO_COLOR FORCE_COLOR CI; TERM=xterm script -qec 'stty cols 60; "$NODE" "$CLI" audit tail -n 2 --no-follow' /dev/null`,
    );
    const [heading, ...lines] = stdout.trimEnd().split('\r\n');
    expect(heading).to.equal('\u001b[1m2026-11-20 UTC\u001b[22m');
    expect(lines).to.have.length(2);
    for (const line of lines) {
      const shown = stripVTControlCharacters(line);
      expect(shown)
        .to.match(/^08:49:00\.123 {2}#2[01] {2}success {2}sign {2}.*…$/)
        .with.property('length')
        .that.is.at.most(60);
      expect(line).to.contain('\u001b[32msuccess\u001b[39m');
    }
  });
});
