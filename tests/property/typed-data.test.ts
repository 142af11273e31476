import { expect } from 'chai';
import fc from 'fast-check';
import { type JsonObject, jsonPath } from '../../src/domain/model/json.ts';
import type { TypedData } from '../../src/domain/model/payload.ts';
import { toOutcome } from '../../src/domain/payload/payload-outcome.ts';
import { encodeTypedData } from '../../src/domain/payload/typed-data/eip712.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { eip712 } from './eip-712.ts';
import { TYPED_DATA } from './typed-data-arbitraries.ts';

function encoded(typedData: TypedData): string {
  return encodeTypedData(typedData, payloadContext()).text;
}

describe('typed data properties', () => {
  it('matches the encoding of an independent EIP-712 implementation', () => {
    fc.assert(
      fc.property(TYPED_DATA, (typedData) => {
        expect(encoded(typedData)).to.equal(eip712(typedData));
      }),
      { numRuns: 60 },
    );
  });

  it('has different bytes for any different text in domain or message', () => {
    const types = {
      Note: [
        { name: 'a', type: 'string' },
        { name: 'b', type: 'string[]' },
      ],
    };
    const text = fc.constantFrom('', 'a', 'b', 'ab', '\u0000', '0x61');
    const note = fc.record({ name: text, version: text, a: text, b: fc.array(text, { maxLength: 2 }) });
    const of = ({ name, version, ...message }: { name: string; version: string; a: string; b: string[] }) =>
      encoded({ domain: { name, version }, types, primaryType: 'Note', message });
    fc.assert(
      fc.property(note, note, (left, right) => {
        expect(of(left) === of(right)).to.equal(JSON.stringify(left) === JSON.stringify(right));
      }),
      { numRuns: 100 },
    );
  });

  it('is refused with an unknown or a missing member', () => {
    fc.assert(
      fc.property(TYPED_DATA, fc.nat(), (typedData, choice) => {
        const more = { ...typedData, message: { ...typedData.message, unknown: 1 } };
        expect(toOutcome(() => encoded(more))).to.have.nested.property('refusal.path', 'data.message.unknown');
        const names = Object.keys(typedData.message);
        const missing = names[choice % names.length];
        if (missing === undefined) return;
        const kept = Object.entries(typedData.message).filter(([name]) => name !== missing);
        const less = { ...typedData, message: Object.fromEntries(kept) as JsonObject };
        expect(toOutcome(() => encoded(less))).to.have.nested.property(
          'refusal.path',
          jsonPath('data', ['message', missing]),
        );
      }),
      { numRuns: 100 },
    );
  });
});
