import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { AuditChain } from '../doubles/audit-chain.ts';
import { Workplace } from '../harness/service-process.ts';
import { withNodeOptions } from '../harness/start-options.ts';

const CLI = resolve(import.meta.dirname, '../../dist/cli.js');

describe('audit verify as a process', function () {
  this.timeout(60_000);
  const place = new Workplace();
  after(() => place.remove());

  it('shows a transient progress bar on a terminal, and none in a pipe', async () => {
    const chain = new AuditChain();
    for (let count = 0; count < 60_000; count += 1) chain.append();
    chain.sign();
    const key = chain.publicKey.toString('base64');
    const [file = ''] = chain.write(place.path('long.jsonl'));
    const command = `${process.execPath} ${CLI} audit verify --public-key ${key} ${file}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const [exitCode] = await once(child, 'close');
    expect(exitCode).to.equal(0);
    // Text is wrapped.
    const plain = stripVTControlCharacters(shown.replaceAll('\x1b[K', '(clear)')).replaceAll('\r\n', ' ');
    expect(plain).to.match(
      /^(\r\[#*\.*\] \d+ %, \d+ MB\/s\(clear\))+\r\(clear\)Records 1 to 60001 .*Verified: 60001 records, 1 file, 1 chain; \d+ bytes in \d+\.\d\d s, \d+\.\d MB\/s $/,
    );
    const { stderr, stdout } = await place.commandHere('audit', 'verify', '--public-key', key, file);
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^Records 1 to 60001 /);
  });

  it('runs under a debugger, where commands that handle keys are refused', async () => {
    const chain = new AuditChain();
    chain.append();
    chain.sign();
    const [audit = ''] = chain.write(place.path('audit.jsonl'));
    const key = chain.publicKey.toString('base64');
    const production = new Workplace({ NODE_ENV: 'production' });
    production.launcher = withNodeOptions('--inspect=127.0.0.1:0');
    try {
      expect((await production.command('init')).stderr).to.include('The command was rejected');
      expect((await production.command('audit', 'verify', audit, '--public-key', key)).exitCode).to.equal(0);
    } finally {
      await production.remove();
    }
  });
});
