import type { Socket } from 'node:net';

/** Names a connection by the addresses and ports of both ends, which the sockets below and above TLS have in common. */
export function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
