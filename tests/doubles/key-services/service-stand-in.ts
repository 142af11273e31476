import { readFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';

/** A request that a stand-in received. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A response; text is sent as it is, other bodies as JSON. */
export interface StandInResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: { readonly [name: string]: string };
  /** Sends the body in chunks of that many bytes, instead of with a Content-Length. */
  readonly chunkBytes?: number;
}

export interface StandInOptions {
  /** HTTPS, by default with the test certificate. */
  readonly tls?: boolean;
  readonly certificate?: { readonly certFile: string; readonly keyFile: string };
  readonly host?: string;
  /** 0: any. */
  readonly port?: number;
}

/** A server, by default on loopback, that stands in for a key service. */
export class ServiceStandIn {
  readonly url: URL;
  readonly calls: ReceivedCall[] = [];
  /** Responses before those of the service, one a request; `hang`: none, `cut`: half of one. */
  readonly failures: (StandInResponse | 'hang' | 'cut')[] = [];
  readonly #server: Server;
  readonly #respond: (call: ReceivedCall) => StandInResponse;

  private constructor(url: URL, server: Server, respond: (call: ReceivedCall) => StandInResponse) {
    this.url = url;
    this.#server = server;
    this.#respond = respond;
  }

  static async start(
    respond: (call: ReceivedCall) => StandInResponse,
    { tls = false, certificate = TEST_CERTIFICATE, host = '127.0.0.1', port: requested = 0 }: StandInOptions = {},
  ): Promise<ServiceStandIn> {
    let standIn: ServiceStandIn | undefined;
    const listener: RequestListener = (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const outcome = standIn?.receive({ method, path: url, headers, body: Buffer.concat(parts) });
        if (outcome === undefined || outcome === 'hang') return;
        if (outcome === 'cut') {
          response.writeHead(200, { 'Content-Length': '100' }).write('{"data"');
          response.destroy();
          return;
        }
        const { status, body, chunkBytes, headers: extra = {} } = outcome;
        if (typeof body !== 'string') response.setHeader('Content-Type', 'application/json');
        const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
        if (chunkBytes === undefined) {
          response.writeHead(status, { 'Content-Length': text.length, ...extra }).end(text);
          return;
        }
        response.writeHead(status);
        for (let at = 0; at < text.length; at += chunkBytes) response.write(text.subarray(at, at + chunkBytes));
        response.end();
      });
    };
    const { certFile, keyFile } = certificate;
    const server = tls
      ? createTls({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, listener)
      : createPlain(listener);
    await new Promise<void>((resolve) => {
      server.listen(requested, host, resolve);
    });
    const { port } = server.address() as AddressInfo;
    standIn = new ServiceStandIn(new URL(`${tls ? 'https' : 'http'}://${host}:${port}`), server, respond);
    return standIn;
  }

  receive(call: ReceivedCall): StandInResponse | 'hang' | 'cut' {
    this.calls.push(call);
    return this.failures.shift() ?? this.#respond(call);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
