import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const MODULE = new URL('../../../../src/adapters/http/server.ts', import.meta.url);

/** A server that reports how it read a header named `__proto__`. */
const PROGRAM = `
  import { createServer } from 'node:http';
  import { connect } from 'node:net';
  import { disableProtoAccessor } from '${MODULE.href}';
  disableProtoAccessor();
  const server = createServer((request, response) => {
    console.log(request.url, Object.prototype.x, {}.x);
    response.end();
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1', () => {
    const socket = connect(server.address().port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end('GET /alive HTTP/1.1\\r\\nHost: x\\r\\n__proto__: {"x":1}\\r\\n\\r\\n');
  });
`;

describe('disableProtoAccessor', () => {
  for (const options of [['--disable-proto=throw'], ['--disable-proto=delete'], []]) {
    it(`keeps a server alive after a header named __proto__, with ${options.join() || 'no options'}`, () => {
      const args = [...options, '--import', 'tsx', '--input-type=module', '--eval', PROGRAM];
      const cwd = fileURLToPath(new URL('../../../../', import.meta.url));
      expect(execFileSync(process.execPath, args, { cwd, encoding: 'utf8', timeout: 30_000 })).to.equal(
        '/alive undefined undefined\n',
      );
    });
  }
});
