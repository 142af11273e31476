import type { Attributes, Context, Tracer } from '@opentelemetry/api';
import type { BasicTracerProvider, ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { OperatorError } from '../../domain/model/errors.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { TracedRequest, Traces } from '../../ports/traces.ts';

const NAME = 'signing-service';

/** Maximum length of a failure's reason in the log, UTF-16 code units: the collector chooses it. */
const MAX_REASON = 200;

/** First HTTP status of faults of the service. */
const SERVER_ERROR = 500;
const CLIENT_ERROR = 400;

/** Surroundings of {@link OtlpTraces}. */
interface OtlpTracesOptions {
  readonly version: string;
  readonly instanceId: string;
  readonly log: ServiceLog;
}

/**
 * Sends a server span per request by OTLP/HTTP (JSON), in batches in the background. The SDK reads
 * its `OTEL_…` variables: endpoint, headers, certificates, sampler, batches, resource.
 */
export class OtlpTraces implements Traces {
  readonly #api: OpenTelemetry['api'];
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;

  constructor({ api, sdk, exporter, resources }: OpenTelemetry, { version, instanceId, log }: OtlpTracesOptions) {
    this.#api = api;
    const { resourceFromAttributes, detectResources, envDetector, defaultResource } = resources;
    const own = resourceFromAttributes({
      'service.name': NAME,
      'service.version': version,
      'service.instance.id': instanceId,
    });
    this.#provider = new sdk.BasicTracerProvider({
      // Later ones win: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new sdk.BatchSpanProcessor(reportFailures(new exporter.OTLPTraceExporter(), log))],
    });
    this.#tracer = this.#provider.getTracer(NAME, version);
  }

  requestEnded(request: TracedRequest): void {
    const { method, route, status, durationMs } = request;
    const endTime = Date.now();
    const span = this.#tracer.startSpan(
      route === null ? method : `${method} ${route}`,
      { kind: this.#api.SpanKind.SERVER, startTime: endTime - durationMs, attributes: toAttributes(request) },
      this.#parentOf(request),
    );
    if (status === null || status >= SERVER_ERROR) span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    span.end(endTime);
  }

  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }

  #parentOf({ traceparent }: TracedRequest): Context {
    const { ROOT_CONTEXT, trace } = this.#api;
    if (traceparent === null) return ROOT_CONTEXT;
    // Hexadecimal (W3C Trace Context §3.2).
    const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
    const traceFlags = Number.parseInt(flags, 16);
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }
}

/** Semantic conventions of HTTP servers, and facts of the service's own log; no data and no key. */
function toAttributes({ method, route, status, failure, correlationId, platformId }: TracedRequest): Attributes {
  return {
    'http.request.method': method,
    ...(route === null ? {} : { 'http.route': route }),
    ...(status === null ? {} : { 'http.response.status_code': status }),
    ...(failure !== null && status !== null && status >= SERVER_ERROR ? { 'error.type': failure.code } : {}),
    'signing.correlation_id': correlationId,
    'signing.outcome': toOutcome(status),
    ...(platformId === null ? {} : { 'signing.platform_id': platformId }),
    ...(failure === null ? {} : { 'signing.error_code': failure.code }),
    ...(failure?.reason == null ? {} : { 'signing.error_reason': failure.reason }),
  };
}

/** As in audit records; `aborted`: the connection ended before the response. */
function toOutcome(status: number | null): string {
  if (status === null) return 'aborted';
  if (status >= SERVER_ERROR) return 'failed';
  return status >= CLIENT_ERROR ? 'refused' : 'success';
}

/** Logs failures instead of passing them on to the SDK, which would only print them. */
function reportFailures(inner: SpanExporter, log: ServiceLog): SpanExporter {
  const report = (spans: readonly ReadableSpan[], error: Error | undefined) => {
    const facts = { spans: spans.length, reason: (error?.message ?? 'unknown').slice(0, MAX_REASON) };
    const throttling = { topic: 'traces', countAs: 'failures' };
    log.warn('Traces could not be sent and were dropped; signing is not affected.', facts, throttling);
  };
  return {
    export: (spans, done) =>
      inner.export(spans, (result) => {
        // ExportResultCode.SUCCESS is 0.
        if (result.code !== 0) report(spans, result.error);
        done({ code: 0 });
      }),
    shutdown: () => inner.shutdown(),
    ...(inner.forceFlush === undefined ? {} : { forceFlush: () => inner.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** Optional packages, which operators install. All are compatible with Node 20. */
const PACKAGES = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.1',
  '@opentelemetry/resources': '2.12.1',
  '@opentelemetry/sdk-trace-base': '2.12.1',
} as const;

// --save-prod: they are development dependencies of this package, which --omit=dev leaves out.
const INSTALL = `npm install --no-save --save-prod --omit=dev ${Object.entries(PACKAGES)
  .map(([name, version]) => `${name}@${version}`)
  .join(' ')}`;

/** The packages of OpenTelemetry, as `OtlpTraces` uses them. */
export interface OpenTelemetry {
  readonly api: typeof import('@opentelemetry/api');
  readonly sdk: typeof import('@opentelemetry/sdk-trace-base');
  readonly exporter: typeof import('@opentelemetry/exporter-trace-otlp-http');
  readonly resources: typeof import('@opentelemetry/resources');
}

/**
 * Imports the optional packages of OpenTelemetry, from the node_modules folders beside and above
 * this program, as Node resolves imports.
 * @throws OperatorError with the command to install them
 */
export async function loadOpenTelemetry(load: () => Promise<OpenTelemetry> = importPackages): Promise<OpenTelemetry> {
  try {
    return await load();
  } catch (error) {
    throw new OperatorError(
      'A trace endpoint is set (OTEL_EXPORTER_OTLP_ENDPOINT), but the optional packages of OpenTelemetry cannot be ' +
        `loaded. Run \`${INSTALL}\` in the folder of this program, or set OTEL_SDK_DISABLED=true.`,
      { cause: error },
    );
  }
}

async function importPackages(): Promise<OpenTelemetry> {
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, sdk, exporter, resources };
}
