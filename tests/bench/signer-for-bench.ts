/*
 * Start script of a small signing service, by the contract in docs/operators/performance.md alone.
 * Its first argument names a fault, or is `sound`.
 */
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

interface Order {
  readonly payload: string;
}

const [mode, publicKeyText = ''] = process.argv.slice(2);

async function serve(): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signOne = ({ payload }: Order) => {
    const bytes = Buffer.from(payload, 'base64url');
    if (mode === 'wrong-signature') bytes[0] = 0;
    return sign(null, bytes, privateKey).toString('base64');
  };
  let served = 0;
  const server = createServer(async (request, response) => {
    request.setEncoding('utf8');
    let text = '';
    for await (const chunk of request) text += chunk;
    const isAllowed = request.headers['x-token'] === 'secret' && mode !== 'rejecting';
    if (!isAllowed) return void response.writeHead(403).end('no permission');
    served += 1;
    if (mode === 'crashing' && served === 500) throw new Error('out of memory');
    const orders: readonly Order[] = [JSON.parse(text)].flat();
    response.end(JSON.stringify(orders.map(signOne)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const order: Order = { payload: '{{base64url}}' };
  const line = {
    name: 'Test signer',
    version: '1.2.3',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign?key=test`,
    headers: { 'X-Token': 'secret' },
    body: JSON.stringify(order),
    batchBody: JSON.stringify(new Array(mode === 'wrong-line' ? 99 : 100).fill(order)),
    pids: [mode === 'wrong-pid' ? 2 ** 30 : process.pid],
    verify: [
      ...[process.execPath, '--import', 'tsx', import.meta.filename, 'verify'],
      publicKey.export({ type: 'spki', format: 'der' }).toString('hex'),
    ],
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  // The contract: the end of its standard input ends the service, which still listens.
  process.stdin.resume().once('end', () => process.exit());
}

async function verifyInput(): Promise<void> {
  const key = createPublicKey({ key: Buffer.from(publicKeyText, 'hex'), type: 'spki', format: 'der' });
  let count = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const { body, response } = JSON.parse(line);
    const signatures: readonly string[] = JSON.parse(response);
    for (const [index, { payload }] of ([JSON.parse(body)].flat() as readonly Order[]).entries()) {
      const bytes = Buffer.from(payload, 'base64url');
      const isRight = verify(null, bytes, key, Buffer.from(signatures[index] ?? '', 'base64'));
      // The length of every payload is part of the contract.
      if (bytes.length !== 140 || !isRight) throw new Error(`wrong signature of ${bytes}`);
      count += 1;
    }
  }
  if (count === 0) throw new Error('no signatures');
}

if (mode === 'early-exit') throw new Error('no license');
await (mode === 'verify' ? verifyInput() : serve());
