import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { HeldBytes } from '../../../../../../src/adapters/driving/http/overload/held-bytes.ts';

describe('HeldBytes', () => {
  it('are counted over all requests, up to the most that may be held', () => {
    const bytes = new HeldBytes(100);
    const [first, second] = [bytes.open(new EventEmitter()), bytes.open(new EventEmitter())];
    expect(first.hold(60)).to.equal(true);
    expect(second.hold(40)).to.equal(true);
    expect(second.hold(1)).to.equal(false);
    expect(second.hold(0)).to.equal(true);
  });

  it('are free again when their request closes, or lets them go, once', () => {
    const bytes = new HeldBytes(100);
    const request = new EventEmitter();
    const first = bytes.open(request);
    expect(first.hold(100)).to.equal(true);
    first.release();
    request.emit('close');
    const second = bytes.open(new EventEmitter());
    expect(second.hold(100)).to.equal(true);
    expect(second.hold(1)).to.equal(false);
    const third = bytes.open(request);
    second.release();
    expect(third.hold(100)).to.equal(true);
    request.emit('close');
    expect(second.hold(100)).to.equal(true);
  });

  it('can not be held for a request that is closed, as a body that was decompressed meanwhile would be', () => {
    const bytes = new HeldBytes(100);
    const request = new EventEmitter();
    const held = bytes.open(request);
    expect(held.hold(40)).to.equal(true);
    request.emit('close');
    expect(held.hold(60)).to.equal(false);
    expect(bytes.open(Object.assign(new EventEmitter(), { destroyed: true })).hold(1)).to.equal(false);
    expect(bytes.count).to.equal(0);
  });
});
