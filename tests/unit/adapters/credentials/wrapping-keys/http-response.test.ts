import { expect } from 'chai';
import {
  isCompleteResponse,
  MalformedResponseError,
  readHttpResponse,
} from '../../../../../src/adapters/credentials/wrapping-keys/http-response.ts';

const read = (text: string) => {
  const response = readHttpResponse(Buffer.from(text, 'latin1'));
  return response && { status: response.status, body: response.body.toString('latin1') };
};

describe('readHttpResponse', () => {
  it('reads a body of the given length', () => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCONTENT-LENGTH: 2\r\n\r\n{}';
    expect(read(text)).to.deep.equal({ status: 200, body: '{}' });
  });

  it('joins the chunks of the example in RFC 9112 and of RFC 9112 §7.1.1', () => {
    const head = 'HTTP/1.1 403 \r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(read(`${head}4\r\nWiki\r\n5;name="value"\r\npedia\r\n0\r\n\r\n`)).to.deep.equal({
      ...{ status: 403, body: 'Wikipedia' },
    });
  });

  it('knows at every byte that the rest is missing', () => {
    for (const text of [
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n',
    ]) {
      for (let length = 0; length < text.length; length += 1) {
        expect(isCompleteResponse(Buffer.from(text.slice(0, length)))).to.equal(false);
      }
      expect(isCompleteResponse(Buffer.from(text))).to.equal(true);
    }
  });

  it('rejects another protocol, a body of unknown length and malformed chunks', () => {
    for (const text of [
      'SSH-2.0-OpenSSH\r\n\r\n',
      'HTTP/2 200\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\nabc',
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcd\r\n',
    ]) {
      expect(() => read(text), text).to.throw(MalformedResponseError);
    }
  });
});
