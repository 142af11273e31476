import { expect } from 'chai';
import { AnswerReader } from '../../../../scripts/bench/answer-reader.ts';

const BODY = '{"success":true,"data":{"note":"grün"}}';
const HEAD = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n\r\n`;
const ANSWER = Buffer.from(`${HEAD}${BODY}`);

describe("The bench's reading of answers", () => {
  it('finds an answer to be whole wherever it was cut in two, and reads the next one after it', () => {
    const reader = new AnswerReader();
    for (let cut = 1; cut < ANSWER.length; cut += 1) {
      reader.keep();
      expect(reader.add(ANSWER.subarray(0, cut)), `cut at ${cut}`).to.equal(false);
      expect(reader.add(ANSWER.subarray(cut)), `cut at ${cut}`).to.equal(true);
      expect(reader.status).to.equal(200);
      expect(reader.take()).to.deep.equal(ANSWER);
    }
  });

  it('finds one to be whole that comes byte by byte, and one without a body', () => {
    const reader = new AnswerReader();
    const whole = [...ANSWER].map((byte) => reader.add(Buffer.of(byte)));
    expect(whole.lastIndexOf(false)).to.equal(ANSWER.length - 2);
    expect(whole.at(-1)).to.equal(true);
    expect(reader.add(Buffer.from('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n'))).to.equal(true);
    expect(reader.status).to.equal(503);
  });

  it('keeps no answer that it was not asked to keep', () => {
    const reader = new AnswerReader();
    reader.add(ANSWER);
    expect(reader.take()).to.have.lengthOf(0);
  });

  it('takes no more than one answer, and none without a length', () => {
    expect(() => new AnswerReader().add(Buffer.concat([ANSWER, Buffer.from('H')]))).to.throw('More came');
    expect(() => new AnswerReader().add(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).to.throw('Content-Length');
  });
});
