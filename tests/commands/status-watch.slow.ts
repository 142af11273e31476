import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { data, ScriptedServer } from '../client/scripted-server.ts';
import { READY, STATUS } from '../doubles/status-data.ts';
import { type Process, Workplace } from '../harness/service-process.ts';

const TIMEOUT_MS = 20_000;

describe('status --watch as a process', () => {
  const server = new ScriptedServer();
  const place = new Workplace({ NO_COLOR: '1' });
  after(() => place.remove());

  async function until(child: Process, pattern: RegExp): Promise<void> {
    for (let waited = 0; waited < TIMEOUT_MS; waited += 50) {
      if (pattern.test(child.stdout)) return;
      await sleep(50);
    }
    throw new Error(`Not ${pattern}: ${child.stdout}`);
  }

  it('prints a line for each reading, goes on while the service is away, and exits with 0 on Ctrl-C', async () => {
    const url = await server.listen();
    server.play((response, request) => {
      data(request.target === '/readyz' ? READY : STATUS)(response, request);
    });
    const child = place.spawn('cli.js', ['status', '--watch', '--url', url]);
    await until(child, /^\S+Z {2}ready {2}total 12345 .*\n\S+Z {2}ready /m);
    await server.close();
    await until(child, /^\S+Z {2}unreachable since \S+Z {2}Cannot reach .*\n\S+Z {2}unreachable since /m);
    child.signal('SIGINT');
    const { exitCode, stderr, stdout } = await child.ended();
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(new Set(stdout.match(/(?<=unreachable since )\S+/g))).to.have.length(1);
  });
});
