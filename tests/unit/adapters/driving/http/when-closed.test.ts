import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { whenClosed } from '../../../../../src/adapters/driving/http/when-closed.ts';

describe('whenClosed', () => {
  it('calls all who asked, once each, in their order, with one listener', () => {
    const closing = new EventEmitter();
    const called: string[] = [];
    for (const name of ['first', 'second', 'third']) whenClosed(closing, () => called.push(name));
    expect(closing.listenerCount('close')).to.equal(1);
    closing.emit('close');
    closing.emit('close');
    expect(called).to.deep.equal(['first', 'second', 'third']);
  });

  it('calls one who asked later when it closes again', () => {
    const closing = new EventEmitter();
    const called: string[] = [];
    whenClosed(closing, () => called.push('first'));
    closing.emit('close');
    whenClosed(closing, () => called.push('later'));
    expect(called).to.deep.equal(['first']);
    closing.emit('close');
    expect(called).to.deep.equal(['first', 'later']);
    expect(closing.listenerCount('close')).to.equal(1);
  });

  it('calls among other listeners where the first who asked would be called', () => {
    const closing = new EventEmitter();
    const called: string[] = [];
    closing.once('close', () => called.push('before'));
    whenClosed(closing, () => called.push('asked'));
    closing.once('close', () => called.push('after'));
    closing.emit('close');
    expect(called).to.deep.equal(['before', 'asked', 'after']);
  });
});
