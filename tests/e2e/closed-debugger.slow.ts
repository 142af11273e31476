import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { listeningPorts } from '../harness/listening-ports.ts';
import type { Process } from '../harness/service-process.ts';
import { withNodeOptions } from '../harness/start-options.ts';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';

/** From process start to signal, milliseconds. */
const DELAYS = [...Array.from({ length: 11 }, (_, step) => step * 15), 300, 600, 1200, 2400];
/** Later signals meet the handler of the running service. */
const ENOUGH_STARTS = 2;
const LISTENS = 'listens on 1 port';

// Only Linux lists a process's ports as files.
if (process.platform === 'linux') {
  describe('SIGUSR1, which makes Node open its debugger,', () => {
    const place = useWorkplace(ALPHA);

    afterEach(() => {
      place.launcher = [];
    });

    it('opens one in a program without a handler for it (control)', async () => {
      place.launcher = withNodeOptions('--inspect-port=0', '--eval', '"setInterval(() => {}, 1000); console.log(1)"');
      const child = place.spawn('main.js', []);
      await child.waitForLine(/1/);
      child.signal('SIGUSR1');
      await until(() => listeningPorts(child.pid).length === 1);
      await child.kill();
    });

    it('opens none in the service, which keeps signing and logs the signal', async () => {
      const service = await place.start();
      service.process.signal('SIGUSR1');
      await service.process.waitForLine(/SIGUSR1 was ignored: the debugger stays closed/);
      service.process.signal('SIGUSR1');
      const { status } = await service.post('/sign', { platformId: 'alpha', accountId: 'main', data: { a: 1 } });
      expect(status).to.equal(200);
      // Node would open it in another thread, a moment later.
      await sleep(500);
      expect(listeningPorts(service.process.pid)).to.deep.equal([Number(new URL(service.url).port)]);
      const { exitCode, stderr } = await service.stop();
      expect(stderr).to.equal('');
      expect(exitCode).to.equal(0);
    });

    it('opens none in the command line, which reports it on standard error', async () => {
      const child = place.spawn('cli.js', ['demo']);
      await child.waitForLine(/Ctrl-C stops the service/);
      child.signal('SIGUSR1');
      await sleep(500);
      expect(listeningPorts(child.pid)).to.have.length(1);
      child.signal('SIGINT');
      const { exitCode, stderr } = await child.ended();
      expect(stderr).to.equal('SIGUSR1 was ignored: the debugger stays closed.\n');
      expect(exitCode).to.equal(0);
    });

    it('at any moment of a production start, leaves no service with a debugger', async () => {
      place.environment['NODE_ENV'] = 'production';
      const outcomes: string[] = [];
      for (const delay of DELAYS) {
        if (outcomes.filter((outcome) => outcome === LISTENS).length === ENOUGH_STARTS) break;
        const child = place.spawn('main.js', []);
        await sleep(delay);
        child.signal('SIGUSR1');
        const outcome = await Promise.race([
          child.ended().then(({ exitCode }) => `ended with ${exitCode}`),
          child.waitForLine(/"message":"Listening\."/).then(() => afterwards(child)),
        ]);
        outcomes.push(outcome);
        await child.kill();
      }
      // Killed before Node handles the signal (null), refused with an open debugger (2), or running
      // without one.
      const allowed = ['ended with null', 'ended with 2', LISTENS];
      expect(outcomes.filter((outcome) => !allowed.includes(outcome))).to.deep.equal([]);
      expect(outcomes).to.include(LISTENS);
    });
  }).timeout(120_000);
}

async function afterwards(child: Process): Promise<string> {
  await sleep(300);
  const { length } = listeningPorts(child.pid);
  return `listens on ${length} port${length === 1 ? '' : 's'}`;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}
