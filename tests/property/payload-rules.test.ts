import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { PayloadOutcome } from '../../src/domain/model/payload.ts';
import { DEFAULT_RULE_OPTIONS } from '../../src/domain/model/platform-defaults.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { HOSTILE, jsonObject, jsonValue, SIGNABLE } from './json-arbitraries.ts';

const { query, prehash, raw } = DEFAULT_RULE_OPTIONS;

const scalarMember = fc.tuple(SIGNABLE.name, fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.integer()));
const scalarMembers = fc.uniqueArray(scalarMember, { minLength: 1, maxLength: 8, selector: ([name]) => name });

const jsonMember = fc.tuple(SIGNABLE.name, jsonValue(SIGNABLE));
const jsonMembers = fc.uniqueArray(jsonMember, { maxLength: 8, selector: ([name]) => name });

function bytesOf(outcome: PayloadOutcome): Buffer {
  if (!outcome.ok) throw new Error(`${outcome.issue.path} ${outcome.issue.message}`);
  return Buffer.from(outcome.payload.bytes);
}

/** The object's JSON text with its members in exactly this order. */
function textOf(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

describe('payload rule properties', () => {
  it('query: says in the order sent what was sent, or refuses', () => {
    fc.assert(
      fc.property(scalarMembers, (members) => {
        const outcome = buildPayload(JSON.parse(`{"params":${textOf(members)}}`), query);
        const reorderable = members.some(([name]) => /^(0|[1-9]\d*)$/.test(name));
        if (!outcome.ok) {
          expect(reorderable, outcome.issue.message).to.equal(true);
          return;
        }
        const said = [...new URLSearchParams(outcome.payload.text)];
        expect(said).to.deep.equal(members.map(([name, value]) => [name, String(value)]));
        expect(outcome.payload.text).to.match(/^[A-Za-z0-9._~%=&-]+$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('prehash: signs an object body as the very text that was sent compact, or refuses', () => {
    fc.assert(
      fc.property(jsonMembers, (members) => {
        const body = textOf(members);
        const data = JSON.parse(`{"timestamp":"t","method":"POST","path":"/p","body":${body}}`) as JsonObject;
        const outcome = buildPayload(data, prehash);
        if (!outcome.ok) {
          expect(outcome.issue.message).to.include('loses its place');
          expect(body).to.match(/"(0|[1-9]\d*)":/);
          return;
        }
        expect(outcome.payload.text).to.equal(`tPOST/p${body}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('raw: gives the bytes that were written as hex, as base64 and as text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.string({ unit: 'binary' }), (given, text) => {
        const bytes = Buffer.from(given);
        expect(bytesOf(buildPayload({ hex: bytes.toString('hex') }, raw)).equals(bytes)).to.equal(true);
        expect(bytesOf(buildPayload({ base64: bytes.toString('base64') }, raw)).equals(bytes)).to.equal(true);
        expect(bytesOf(buildPayload({ text }, raw)).toString('utf8')).to.equal(text);
      }),
    );
  });

  it('raw: takes base64 exactly when encoding the bytes again gives the same text', () => {
    const sign = fc.constantFrom('A', 'Q', 'g', 'w', 'E', 'Z', '/', '+', '9', '=', '-', ' ');
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 9 }), (base64) => {
        const canonical = Buffer.from(base64, 'base64').toString('base64') === base64;
        expect(buildPayload({ base64 }, raw).ok).to.equal(canonical);
      }),
      { numRuns: 3000 },
    );
  });

  it('no rule throws, whatever the data', () => {
    const request = fc.record(
      {
        method: jsonValue(HOSTILE),
        path: jsonValue(HOSTILE),
        timestamp: jsonValue(HOSTILE),
        body: jsonValue(HOSTILE),
        params: jsonValue(HOSTILE),
        text: jsonValue(HOSTILE),
        hex: jsonValue(HOSTILE),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(request, jsonObject(HOSTILE)), (data) => {
        for (const rule of Object.values(DEFAULT_RULE_OPTIONS)) {
          const outcome = buildPayload(data, rule);
          if (!outcome.ok) expect(outcome.issue.path).to.match(/^data/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
