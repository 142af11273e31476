import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { HeldBytes } from '../../../../../src/adapters/driving/http/overload/held-bytes.ts';
import { readBody } from '../../../../../src/adapters/driving/http/request-body.ts';

/** A request whose body a test sends. */
function requestOf(headers: { readonly [name: string]: string } = {}): PassThrough & IncomingMessage {
  const body = new PassThrough();
  return Object.assign(body, { headers: { 'content-type': 'application/json', ...headers } }) as never;
}

describe('readBody', () => {
  it('refuses a body as soon as all bodies together would be too many bytes, and lets go of what came of it', async () => {
    const bytes = new HeldBytes(100);
    const slow = requestOf();
    const reading = readBody(slow, bytes.open(new EventEmitter()));
    slow.write('x'.repeat(60));
    const other = requestOf();
    const refused = readBody(other, bytes.open(new EventEmitter()));
    other.write('y'.repeat(30));
    other.write('y'.repeat(30));
    expect(await refused).to.equal('too much is held');
    slow.end('x'.repeat(40));
    const body = await reading;
    expect(body).to.have.property('ok', true);
  });

  it('counts nothing that was announced and has not come', async () => {
    const bytes = new HeldBytes(100);
    for (let each = 0; each < 10; each += 1) {
      void readBody(requestOf({ 'content-length': '1000' }), bytes.open(new EventEmitter()));
    }
    const request = requestOf();
    request.end('x'.repeat(100));
    expect(await readBody(request, bytes.open(new EventEmitter()))).to.have.property('ok', true);
  });

  it('takes a body at once that came whole, and waits for the rest of one that did not', async () => {
    const bytes = new HeldBytes(100);
    const whole = requestOf({ 'content-length': '4' });
    whole.write('{"a"');
    expect(await readBody(whole, bytes.open(new EventEmitter()))).to.deep.equal({
      ok: true,
      value: Buffer.from('{"a"'),
    });
    expect(bytes.count).to.equal(4);
    const later = requestOf({ 'content-length': '8' });
    later.write('{"a"');
    const reading = readBody(later, bytes.open(new EventEmitter()));
    setImmediate(() => later.end(':1 }'));
    expect(await reading).to.deep.equal({ ok: true, value: Buffer.from('{"a":1 }') });
  });

  it('refuses one that came whole as soon as all bodies together would be too many bytes', async () => {
    const bytes = new HeldBytes(3);
    const request = requestOf({ 'content-length': '4' });
    request.write('{"a"');
    expect(await readBody(request, bytes.open(new EventEmitter()))).to.equal('too much is held');
    expect(bytes.count).to.equal(0);
  });

  it('counts what a compressed body becomes', async () => {
    const bytes = new HeldBytes(1000);
    const request = requestOf({ 'content-encoding': 'gzip' });
    request.end(gzipSync('x'.repeat(2000)));
    expect(await readBody(request, bytes.open(new EventEmitter()))).to.equal('too much is held');
  });
});
