import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Trace } from './search.ts';
import { secretsOfKey } from './secrets.ts';
import { strayTraces } from './stray-traces.ts';

describe('strayTraces', () => {
  const [key, innerPad] = secretsOfKey('audit key', 'ed25519', randomBytes(32));

  function traceAt(address: number, part: number, changes: Partial<Trace> = {}): Trace {
    if (key === undefined) throw new Error('There is no key.');
    return { secret: key, form: 'raw', part, address, place: '---p anonymous', ...changes };
  }

  const held = [traceAt(0x1fc0, 0), traceAt(0x1fd0, 1)];

  it('returns none for one copy in an inaccessible page', () => {
    expect(strayTraces(held)).to.deep.equal([]);
    expect(strayTraces([])).to.deep.equal([]);
  });

  it('returns a second copy, even if it is in such a page too', () => {
    const second = [traceAt(0x3fc0, 0), traceAt(0x3fd0, 1)];
    expect(strayTraces([...held, ...second])).to.deep.equal(second);
  });

  it('returns copies elsewhere, other forms, and values derived from the key', () => {
    if (innerPad === undefined) throw new Error('There is no pad.');
    const strays = [
      traceAt(0x5000, 0, { place: 'rw-p [heap]' }),
      traceAt(0x5000, 0, { place: 'r--p anonymous' }),
      traceAt(0x5000, 0, { form: 'hex lower' }),
      traceAt(0x5000, 0, { secret: innerPad }),
    ];
    for (const stray of strays) expect(strayTraces([...held, stray])).to.deep.equal([stray]);
  });
});
