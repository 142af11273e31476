import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** An HTTP proxy on loopback that tunnels every CONNECT to one port of this machine. */
export class ConnectProxy {
  readonly url: string;
  /** Hosts and ports that were requested. */
  readonly targets: string[];
  readonly stop: () => void;

  private constructor(url: string, targets: string[], stop: () => void) {
    this.url = url;
    this.targets = targets;
    this.stop = stop;
  }

  static async start(port: number): Promise<ConnectProxy> {
    const targets: string[] = [];
    const server = createServer();
    server.on('connect', ({ url = '' }, client, head) => {
      targets.push(url);
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.write(head);
        client.pipe(upstream).pipe(client);
      });
      for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port: own } = server.address() as AddressInfo;
    return new ConnectProxy(`http://127.0.0.1:${own}`, targets, () => server.close());
  }
}
