import { expect } from 'chai';
import { seedOf } from './campaign.ts';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { faultOf } from './invariants.ts';

const REST = 'Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n';
const BODY = '{"success":true,"data":{}}';
const OLD = 'GET /api/v1/accounts HTTP/1.0\r\n\r\n';
const NEW = 'GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\n\r\n';

function asked(request: string, more: Partial<FuzzCase> = {}): FuzzCase {
  return fuzzCase({ kind: 'test', writes: [Buffer.from(request)], ...more });
}

function answer(headers: string, body = BODY): Buffer {
  return Buffer.from(`HTTP/1.1 200 OK\r\n${REST}${headers}\r\n${body}`);
}

describe("The fuzzer's reading of responses", () => {
  const close = 'Connection: close\r\n';

  it('takes one without a length when HTTP/1.0 was asked, it says that the connection closes, and that did', () => {
    expect(faultOf(asked(OLD), { received: answer(close), end: 'closed' })).to.equal(null);
  });

  it('takes none without a length to HTTP/1.1', () => {
    expect(faultOf(asked(NEW), { received: answer(close), end: 'closed' })).to.equal('what came has no length');
  });

  it('takes none without a length that does not say that the connection closes, or has a coding that is not known', () => {
    for (const headers of ['', 'Connection: keep-alive\r\n', `${close}Transfer-Encoding: gzip\r\n`]) {
      const fault = faultOf(asked(OLD), { received: answer(headers), end: 'closed' });
      expect(fault, headers).to.equal('what came has no length');
    }
  });

  it('takes none without a length as whole before the connection has closed', () => {
    const one = asked(OLD, { ending: 'responses', least: 1, texts: ['"success":true'] });
    expect(faultOf(one, { received: answer(close), end: 'left' })).to.equal('0 of 1 requests were answered (left)');
  });

  it('finds one without a length that is cut off', () => {
    const fault = faultOf(asked(OLD), { received: answer(close, BODY.slice(0, -1)), end: 'closed' });
    expect(fault).to.match(/^a response was cut off/);
  });

  it("finds keys of accounts where operators are, and takes the service's own public key there for none", () => {
    const own = '"authentication":{"mode":"optional","publicKey":"S","authorities":1}';
    const faultAt = (data: string, more: Partial<FuzzCase>) => {
      const body = `{"success":true,"data":{${data}}}`;
      const received = answer(`Content-Length: ${body.length}\r\n`, body);
      return faultOf(asked(NEW, { way: 'https', isAdmin: true, ...more }), { received, end: 'closed' });
    };
    expect(faultAt(own, {})).to.equal(null);
    expect(faultAt(`${own},"account":{"publicKey":"A"}`, {})).to.match(/^gives away what is for other callers/);
    expect(faultAt(own, { isDenied: true })).to.match(/^gives away what is for other callers/);
  });

  it('misses no response to a request whose response is known', () => {
    const one = asked(`${NEW}${NEW}`, { ending: 'wait for close', least: 2, most: 2, texts: ['"data"', '"data"'] });
    const whole = answer(`Content-Length: ${BODY.length}\r\n`);
    expect(faultOf(one, { received: Buffer.concat([whole, whole]), end: 'closed' })).to.equal(null);
    expect(faultOf(one, { received: whole, end: 'closed' })).to.equal('1 of 2 requests were answered (closed)');
  });
});

describe("The fuzzer's seeds", () => {
  it('make other runs for neighbouring seeds, and the same for the same', () => {
    const seeds = [0, 1, 2, 3].flatMap((seed) =>
      Array.from({ length: 100 }, (_, batch) => seedOf(seed, 'requests', 0, batch)),
    );
    expect(new Set(seeds).size).to.equal(400);
    expect(seedOf(7, 'requests', 1, 3)).to.equal(seedOf(7, 'requests', 1, 3));
    for (const seed of seeds) expect(seed).to.equal(seed | 0);
  });
});
