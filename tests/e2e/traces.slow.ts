import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Answer, ServiceProcess } from '../harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../harness/start-options.ts';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';
import { attributesOf, OtlpReceiver } from '../metrics/otlp-receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('A service process with an endpoint for traces and the start options of the image', () => {
  const place = useWorkplace(ALPHA, { OTEL_SERVICE_NAME: 'desk-signer' });
  place.launcher = withNodeOptions(...START_OPTIONS);
  const body = { platformId: 'alpha', accountId: 'main', data: { side: 'buy-Zq81', amount: '71.25' } };
  let receiver: OtlpReceiver;

  beforeEach(async () => {
    receiver = await OtlpReceiver.start();
    place.environment['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  });
  afterEach(() => receiver.stop());

  async function sign({ url }: ServiceProcess): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json', traceparent: `00-${TRACE}-${PARENT}-01` };
    const response = await fetch(`${url}/api/v1/sign`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  }

  it("continues the caller's trace, sends it at the stop, and no data, signature or account", async () => {
    const service = await place.start();
    const { status, body: signed } = await sign(service);
    expect(status).to.equal(200);
    const { exitCode, stdout } = await service.stop();
    expect(exitCode).to.equal(0);
    expect(stdout).to.include('"message":"Traces are sent."').and.include(receiver.url);
    const [span, ...others] = receiver.spans;
    expect(others).to.deep.equal([]);
    expect([span?.traceId, span?.parentSpanId, span?.name]).to.deep.equal([TRACE, PARENT, 'POST /api/v1/sign']);
    expect(attributesOf(span?.attributes ?? [])).to.include({
      'signing.outcome': 'success',
      'signing.platform_id': 'alpha',
    });
    expect(receiver.resource['service.name']).to.equal('desk-signer');
    const sent = receiver.bodies.join();
    const records = readFileSync(place.path('audit.jsonl'), 'utf8');
    expect(records, 'the record names the same trace').to.include(TRACE);
    for (const private_ of ['buy-Zq81', '71.25', signed.data.signature, signed.data.publicKey, '"main"']) {
      expect(sent).not.to.include(private_);
    }
  });

  it('signs and stops while the collector does not respond', async () => {
    receiver.status = null;
    const service = await place.start();
    for (let count = 0; count < 5; count += 1) expect((await sign(service)).status).to.equal(200);
    const { exitCode, stdout } = await service.stop();
    expect([exitCode, stdout.includes('"message":"Stopped."')]).to.deep.equal([0, true]);
  });
});
