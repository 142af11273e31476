import { expect } from 'chai';
import { loadOpenTelemetry, OtlpTraces } from '../../../../src/adapters/observability/otlp-traces.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import type { TracedRequest } from '../../../../src/ports/traces.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { attributesOf, OtlpReceiver } from '../../../metrics/otlp-receiver.ts';
import { readProjectFile } from '../../../project-root.ts';

const SERVER_KIND = 2;
const ERROR_STATUS = 2;

/** A reported span. */
interface ReportedSpan {
  readonly name: string;
  readonly traceId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly attributes: { readonly [name: string]: string | number };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** A request without surprises. */
const TRACED: TracedRequest = {
  method: 'POST',
  route: '/api/v1/sign',
  status: 200,
  failure: null,
  durationMs: 12.5,
  traceparent: `00-${TRACE}-${PARENT}-01`,
  correlationId: 'order-1',
  platformId: 'alpha',
};

/** Variables of this process during a test. */
function setVariables(variables: { readonly [name: string]: string }): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

async function open(endpoint: string, log = new RecordingServiceLog(), more = {}) {
  const reset = setVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more });
  try {
    return new OtlpTraces(await loadOpenTelemetry(), { version: '1.2.3', instanceId: 'signing-1', log });
  } finally {
    reset();
  }
}

describe('OtlpTraces', () => {
  let receiver: OtlpReceiver;

  beforeEach(async () => {
    receiver = await OtlpReceiver.start();
  });
  afterEach(() => receiver.stop());

  async function sendOne(more: { readonly [name: string]: string } = {}): Promise<void> {
    const traces = await open(receiver.url, undefined, more);
    traces.requestEnded(TRACED);
    await traces.close();
  }

  async function report(...requests: readonly Partial<TracedRequest>[]): Promise<readonly ReportedSpan[]> {
    const traces = await open(receiver.url);
    for (const request of requests) traces.requestEnded({ ...TRACED, ...request });
    await traces.close();
    return receiver.spans.map(({ name, traceId, parentSpanId = '', attributes, status, ...span }) => {
      expect(span.kind).to.equal(SERVER_KIND);
      const nanoseconds = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
      expect(Number(BigInt(span.endTimeUnixNano) / 1_000_000n)).to.be.closeTo(Date.now(), 60_000);
      return {
        ...{ name, traceId, parentId: parentSpanId, attributes: attributesOf(attributes) },
        ...{ isError: status.code === ERROR_STATUS, durationMs: Number(nanoseconds) / 1e6 },
      };
    });
  }

  it("continues the caller's trace, with the facts of the request and nothing else", async () => {
    const [span, ...others] = await report({});
    expect(others).to.deep.equal([]);
    const { durationMs, ...rest } = span ?? expect.fail();
    expect(durationMs).to.be.closeTo(12.5, 0.01);
    expect(rest).to.deep.equal({
      name: 'POST /api/v1/sign',
      traceId: TRACE,
      parentId: PARENT,
      isError: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/sign',
        'http.response.status_code': 200,
        'signing.correlation_id': 'order-1',
        'signing.outcome': 'success',
        'signing.platform_id': 'alpha',
      },
    });
  });

  it('begins a trace for each request without a parent', async () => {
    const spans = await report({ traceparent: null }, { traceparent: null });
    expect(spans.map(({ parentId }) => parentId)).to.deep.equal(['', '']);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(2);
    for (const { traceId } of spans) expect(traceId).to.match(/^(?!0{32})[0-9a-f]{32}$/);
  });

  it('reports nothing that the caller does not sample', async () => {
    expect(await report({ traceparent: `00-${TRACE}-${PARENT}-00` })).to.deep.equal([]);
  });

  it('names code and reason of a refusal, which is an error only if the service is at fault', async () => {
    const [refused, failed] = await report(
      { status: 400, failure: { code: 'POLICY_DENIED', reason: null } },
      { status: 500, failure: { code: 'SIGNATURE_FAILED', reason: 'AUDIT_UNAVAILABLE' } },
    );
    expect(refused).to.deep.include({ isError: false });
    expect(refused?.attributes).to.include({ 'signing.outcome': 'refused', 'signing.error_code': 'POLICY_DENIED' });
    expect(refused?.attributes).to.not.have.any.keys('error.type', 'signing.error_reason');
    expect(failed).to.deep.include({ isError: true });
    expect(failed?.attributes).to.include({
      'signing.outcome': 'failed',
      'signing.error_code': 'SIGNATURE_FAILED',
      'signing.error_reason': 'AUDIT_UNAVAILABLE',
      'error.type': 'SIGNATURE_FAILED',
    });
  });

  it('shows a connection that ended before the response', async () => {
    const [span] = await report({ status: null, platformId: null, route: null });
    expect(span).to.deep.include({ name: 'POST', isError: true });
    expect(span?.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'signing.correlation_id': 'order-1',
      'signing.outcome': 'aborted',
    });
  });

  it('names the service, its version and instance, unless OTEL_SERVICE_NAME names it', async () => {
    await sendOne();
    expect(receiver.resource).to.include({ 'service.name': 'signing-service', 'service.instance.id': 'signing-1' });
    await sendOne({ OTEL_SERVICE_NAME: 'desk', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' });
    expect(receiver.resource).to.include({
      'service.name': 'desk',
      'service.version': '1.2.3',
      'deployment.environment.name': 'test',
    });
  });

  it('logs failures at most once a minute, without the content of the response', async () => {
    receiver.status = 400;
    const log = new RecordingServiceLog();
    const traces = await open(receiver.url, log, { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' });
    for (let count = 0; count < 3; count += 1) traces.requestEnded(TRACED);
    await traces.close();
    expect(receiver.bodies).to.have.lengthOf(3);
    expect(log.events).to.deep.equal([
      {
        level: 'warn',
        message: 'Traces could not be sent and were dropped; signing is not affected.',
        facts: { count: 1, failures: 1, spans: 1, reason: 'Bad Request' },
      },
    ]);
  });
});

describe('loadOpenTelemetry', () => {
  it('names the command that installs missing packages, in the versions of the tests', async () => {
    const { devDependencies } = JSON.parse(readProjectFile('package.json'));
    const tested = Object.entries(devDependencies).filter(([name]) => name.startsWith('@opentelemetry/'));
    const command = `npm install --no-save --save-prod --omit=dev ${tested.map((one) => one.join('@')).join(' ')}`;
    const missing = async () => {
      throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    };
    const error = await loadOpenTelemetry(missing).then(
      () => expect.fail(),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(OperatorError);
    expect((error as Error).message)
      .to.include(`\`${command}\``)
      .and.include('OTEL_SDK_DISABLED=true');
    const page = readProjectFile('docs/operators/monitor.md');
    expect(page.replaceAll(/ \\\n\s+/g, ' ')).to.include(command);
  });
});
