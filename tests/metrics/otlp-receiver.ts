import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An attribute in OTLP/JSON (opentelemetry-proto, common.proto). */
interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

/** A span in OTLP/JSON (opentelemetry-proto, trace.proto). */
interface Span {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** A collector of OTLP/HTTP on loopback. */
export class OtlpReceiver {
  readonly bodies: string[] = [];
  /** Status of its responses; null: it never responds. */
  status: number | null = 200;
  readonly #server: Server;

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      if (this.status === null) return;
      if (request.url === '/v1/traces' && request.method === 'POST') this.bodies.push(body);
      response.writeHead(this.status, { 'Content-Type': 'application/json' }).end('{}');
    });
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): readonly Span[] {
    return this.#exports().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  /** Of the last export. */
  get resource(): { readonly [key: string]: string | number } {
    return attributesOf(this.#exports().at(-1)?.resource.attributes ?? []);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #exports(): Export['resourceSpans'] {
    return this.bodies.flatMap((body) => (JSON.parse(body) as Export).resourceSpans);
  }
}

/** Attributes by name. */
export function attributesOf(attributes: readonly Attribute[]): { readonly [key: string]: string | number } {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? Number.NaN)]),
  );
}
