import { readFileSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';

describe('audit checkpoints in a second place', function () {
  this.timeout(60_000);
  const place = new Workplace();
  const [audit, checkpoints] = [place.path('audit.jsonl'), place.path('checkpoints.jsonl')];
  const received: { readonly seq: number }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(JSON.parse(body));
    response.end();
  });

  const verify = (...args: readonly string[]) => place.commandHere('audit', 'verify', ...args);

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any', '--rule', 'raw');
    const account = ['--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'];
    await place.prepare('account', 'add', ...account);
    place.environment['SIGNING_AUDIT_CHECKPOINT_FILE'] = checkpoints;
    place.environment['SIGNING_AUDIT_CHECKPOINT_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(async () => {
    server.close();
    await place.remove();
  });

  it('reach a file and an endpoint at the start and at the stop, at any log level', async () => {
    for (let run = 0; run < 2; run += 1) {
      const service = await place.startHere();
      const signed = { platformId: 'my-exchange', accountId: 'main', data: { text: 'hello' } };
      for (let count = 0; count < 5; count += 1) await service.post('/sign', signed);
      const { body } = await service.get('/status');
      const copies = body.data.audit.checkpointCopies;
      expect(
        copies.map(({ setting, failures }: { setting: string; failures: number }) => [setting, failures]),
      ).to.deep.equal([
        ['SIGNING_AUDIT_CHECKPOINT_FILE', 0],
        ['SIGNING_AUDIT_CHECKPOINT_URL', 0],
      ]);
      await service.stop();
    }
    const records = readFileSync(audit, 'utf8').trimEnd().split('\n').length;
    const saved = readFileSync(checkpoints, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(saved).to.have.lengthOf(4);
    expect(saved.at(-1).seq).to.equal(records);
    expect(received).to.deep.equal(saved);
  });

  it('show a tail that was cut off, which the audit file alone does not', async () => {
    const whole = await verify('--checkpoint', checkpoints);
    expect([whole.stderr, whole.exitCode]).to.deep.equal(['', 0]);
    expect(whole.stdout.replaceAll(/\s+/g, ' ')).to.include(`4 checkpoints in ${checkpoints} match`);
    const text = readFileSync(audit, 'utf8');
    truncateSync(audit, Buffer.byteLength(text) - Buffer.byteLength(text.trimEnd().split('\n').at(-1) ?? '') - 1);
    expect((await verify()).exitCode).to.equal(0);
    const { stderr, exitCode } = await verify('--checkpoint', checkpoints);
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(
      /ends with record \d+, but the checkpoint of \S+ in \S+ covers record \d+: 1 record was cut off/,
    );
  });

  it('do not delay or refuse signatures where they cannot be saved', async () => {
    place.environment['SIGNING_AUDIT_CHECKPOINT_FILE'] = place.path('missing/checkpoints.jsonl');
    place.environment['SIGNING_AUDIT_FILE'] = place.path('second.jsonl');
    const service = await place.startHere();
    const signed = { platformId: 'my-exchange', accountId: 'main', data: { text: 'hello' } };
    for (let count = 0; count < 20; count += 1) expect((await service.post('/sign', signed)).status).to.equal(200);
    const { body } = await service.get('/status');
    expect(body.data.audit.checkpointCopies[0]).to.include({ seq: null, failures: 1 });
    await service.stop();
  });
});
