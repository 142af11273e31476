import { expect } from 'chai';
import { deriveSeed } from './campaign.ts';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { findViolation } from './invariants.ts';

const REST = 'Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n';
const BODY = '{"success":true,"data":{}}';
const OLD = 'GET /api/v1/accounts HTTP/1.0\r\n\r\n';
const NEW = 'GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\n\r\n';

function requested(request: string, more: Partial<FuzzCase> = {}): FuzzCase {
  return fuzzCase({ kind: 'test', writes: [Buffer.from(request)], ...more });
}

function response(headers: string, body = BODY): Buffer {
  return Buffer.from(`HTTP/1.1 200 OK\r\n${REST}${headers}\r\n${body}`);
}

describe("The fuzzer's response parser", () => {
  const close = 'Connection: close\r\n';

  it('accepts a response without a length if HTTP/1.0 was requested and the connection closes as declared', () => {
    expect(findViolation(requested(OLD), { received: response(close), end: 'closed' })).to.equal(null);
  });

  it('rejects a response without a length to HTTP/1.1', () => {
    expect(findViolation(requested(NEW), { received: response(close), end: 'closed' })).to.equal(
      'what came has no length',
    );
  });

  it('rejects a response without a length that declares no close or has an unknown coding', () => {
    for (const headers of ['', 'Connection: keep-alive\r\n', `${close}Transfer-Encoding: gzip\r\n`]) {
      const error = findViolation(requested(OLD), { received: response(headers), end: 'closed' });
      expect(error, headers).to.equal('what came has no length');
    }
  });

  it('rejects a response without a length as incomplete before the connection has closed', () => {
    const one = requested(OLD, { ending: 'responses', least: 1, texts: ['"success":true'] });
    expect(findViolation(one, { received: response(close), end: 'left' })).to.equal(
      '0 of 1 requests were answered (left)',
    );
  });

  it('detects a truncated response without a length', () => {
    const error = findViolation(requested(OLD), { received: response(close, BODY.slice(0, -1)), end: 'closed' });
    expect(error).to.match(/^a response was cut off/);
  });

  it("detects keys of accounts in operator responses, but allows the service's own public key", () => {
    const own = '"authentication":{"mode":"optional","publicKey":"S","authorities":1}';
    const findErrorAt = (data: string, more: Partial<FuzzCase>) => {
      const body = `{"success":true,"data":{${data}}}`;
      const received = response(`Content-Length: ${body.length}\r\n`, body);
      return findViolation(requested(NEW, { way: 'https', isAdmin: true, ...more }), { received, end: 'closed' });
    };
    expect(findErrorAt(own, {})).to.equal(null);
    expect(findErrorAt(`${own},"account":{"publicKey":"A"}`, {})).to.match(/^gives away what is for other callers/);
    expect(findErrorAt(own, { isDenied: true })).to.match(/^gives away what is for other callers/);
  });

  it('reports a missing response to a known request', () => {
    const one = requested(`${NEW}${NEW}`, { ending: 'wait for close', least: 2, most: 2, texts: ['"data"', '"data"'] });
    const whole = response(`Content-Length: ${BODY.length}\r\n`);
    expect(findViolation(one, { received: Buffer.concat([whole, whole]), end: 'closed' })).to.equal(null);
    expect(findViolation(one, { received: whole, end: 'closed' })).to.equal('1 of 2 requests were answered (closed)');
  });
});

describe("The fuzzer's seeds", () => {
  it('give different runs for neighbouring seeds, and the same run for the same seed', () => {
    const seeds = [0, 1, 2, 3].flatMap((seed) =>
      Array.from({ length: 100 }, (_, batch) => deriveSeed(seed, 'requests', 0, batch)),
    );
    expect(new Set(seeds).size).to.equal(400);
    expect(deriveSeed(7, 'requests', 1, 3)).to.equal(deriveSeed(7, 'requests', 1, 3));
    for (const seed of seeds) expect(seed).to.equal(seed | 0);
  });
});
