import { expect } from 'chai';
import { askedOnce } from '../../../../../../src/adapters/driving/http/networks/asked-once.ts';

describe('askedOnce', () => {
  let asked: string[];
  let isEven: (address: string) => boolean;

  beforeEach(() => {
    asked = [];
    isEven = askedOnce((address) => {
      asked.push(address);
      return Number(address.split('.').at(-1)) % 2 === 0;
    });
  });

  it('asks about each address once, and keeps a no as well as a yes', () => {
    for (let round = 0; round < 3; round += 1) {
      expect(isEven('10.0.0.1')).to.equal(false);
      expect(isEven('10.0.0.2')).to.equal(true);
      expect(isEven('10.0.0.12')).to.equal(true);
    }
    expect(asked).to.deep.equal(['10.0.0.1', '10.0.0.2', '10.0.0.12']);
  });

  it('keeps the answer to one address from every other, however many there are', () => {
    const addresses = Array.from({ length: 5000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    for (let round = 0; round < 2; round += 1) {
      for (const [index, address] of addresses.entries()) expect(isEven(address), address).to.equal(index % 2 === 0);
    }
  });

  it('keeps no more than 1024 answers', () => {
    for (let index = 0; index < 1024; index += 1) isEven(`10.0.${index >> 8}.${index & 255}`);
    isEven('10.0.0.0');
    expect(asked).to.have.lengthOf(1024);
    isEven('10.1.0.0');
    isEven('10.0.0.0');
    expect(asked).to.have.lengthOf(1026);
  });

  it('keeps no text that is longer than an address', () => {
    const longest = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.254';
    const longer = `0${longest}`;
    for (const text of [longest, longest, longer, longer]) isEven(text);
    expect(asked).to.deep.equal([longest, longer, longer]);
  });

  it('takes addresses for the same only where each character is', () => {
    for (const text of ['10.0.0.1', '10.0.0.1 ', '\u{ff11}0.0.0.1', '1\u{d800}', '1\u{d801}']) isEven(text);
    expect(asked).to.have.lengthOf(5);
    for (const text of ['1\u{d800}', '1\u{d801}']) isEven(text);
    expect(asked).to.have.lengthOf(5);
  });
});
