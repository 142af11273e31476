import { expect } from 'chai';
import fc from 'fast-check';
import { loggable } from '../../../../../src/adapters/driven/service-log/loggable.ts';
import { plainLine } from '../../../../../src/adapters/driven/service-log/plain-line.ts';
import { jsonLine } from '../../../../../src/adapters/driven/service-log/service-log-line.ts';

const EVENT = { time: '2026-11-20T08:49:00.000Z', level: 'info' };

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\u0000',
    '\n',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u202e',
    '\ud800',
    'é',
    '😀',
    '__proto__',
    '0',
  ),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 1e21, 5e-324),
);
const plain = fc.oneof(anyText, number, fc.boolean(), fc.constant(null));
const plainFacts = fc.dictionary(anyText, plain, { noNullPrototype: true });

describe('The line of plain facts', () => {
  it('is the one that any facts get', () => {
    fc.assert(
      fc.property(anyText, plainFacts, (message, facts) => {
        expect(plainLine({ ...EVENT, message }, facts)).to.equal(
          jsonLine({ ...EVENT, message, facts: loggable(facts) }),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('is the same or none for facts of every kind', () => {
    fc.assert(
      fc.property(fc.anything(), fc.dictionary(anyText, fc.anything()), (odd, facts) => {
        for (const each of [{ ...facts, odd }, facts, odd as never]) {
          const line = typeof each === 'object' && each !== null ? plainLine({ ...EVENT, message: 'm' }, each) : null;
          if (line !== null) expect(line).to.equal(jsonLine({ ...EVENT, message: 'm', facts: loggable(each) }));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is none where a fact has to be looked into, can not be read, or where there are more than are shown', () => {
    const getter = {
      get broken() {
        throw new Error('from the getter');
      },
    };
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, n]));
    const others = [
      { a: undefined },
      { a: Number.NaN },
      { a: {} },
      { a: 1n },
      { a: Symbol('s') },
      getter,
      many,
      new Error('e'),
    ];
    for (const facts of others) expect(plainLine({ ...EVENT, message: 'm' }, facts as never)).to.equal(null);
  });
});
