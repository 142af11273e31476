import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Issue } from '../../src/domain/model/errors.ts';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { Payload } from '../../src/domain/model/payload.ts';
import type { Outcome } from '../../src/domain/model/refusal.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { defaultRule } from '../../src/domain/payload/complete-platform.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { anyText } from './any-text.ts';
import { HOSTILE, jsonObject, jsonValue, SIGNABLE } from './json-arbitraries.ts';
import { plausibleData } from './request-arbitraries.ts';
import { RULE_CONFIGURATIONS } from './rule-configurations.ts';

const json = defaultRule('json');
const query = defaultRule('query');
const prehash = defaultRule('prehash');
const raw = defaultRule('raw');
const CONTEXT = payloadContext({ apiKey: 'K3y', address: '0x5' });

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const scalarMember = fc.tuple(SIGNABLE.name, fc.oneof(anyText(), fc.boolean(), fc.integer()));
const scalarMembers = fc.uniqueArray(scalarMember, { minLength: 1, maxLength: 8, selector: ([name]) => name });

const jsonMember = fc.tuple(SIGNABLE.name, jsonValue(SIGNABLE));
const jsonMembers = fc.uniqueArray(jsonMember, { maxLength: 8, selector: ([name]) => name });

function bytesOf(outcome: Outcome<Payload, Issue>): Buffer {
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  return Buffer.from(outcome.value.bytes);
}

/** JSON text with members in this order. */
function textOf(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

describe('payload rule properties', () => {
  it('query: keeps the sent order, or refuses', () => {
    fc.assert(
      fc.property(scalarMembers, (members) => {
        const outcome = buildPayload(JSON.parse(`{"params":${textOf(members)}}`), query, CONTEXT);
        const reorderable = members.some(([name]) => /^(0|[1-9]\d*)$/.test(name));
        if (!outcome.ok) {
          expect(reorderable, outcome.refusal.message).to.equal(true);
          return;
        }
        const parameters = [...new URLSearchParams(outcome.value.text)];
        expect(parameters).to.deep.equal(members.map(([name, value]) => [name, String(value)]));
        expect(outcome.value.text).to.match(/^[A-Za-z0-9._~%=&-]+$/);
      }),
      { numRuns: 100 },
    );
  });

  it('prehash: signs the compact text of an object body, or refuses', () => {
    fc.assert(
      fc.property(jsonMembers, (members) => {
        const body = textOf(members);
        const data = JSON.parse(`{"timestamp":"t","method":"POST","path":"/p","body":${body}}`) as JsonObject;
        const outcome = buildPayload(data, prehash, CONTEXT);
        if (!outcome.ok) {
          expect(outcome.refusal.message).to.include('position in the order sent is lost');
          expect(body).to.match(/"(0|[1-9]\d*)":/);
          return;
        }
        expect(outcome.value.text).to.equal(`tPOST/p${body}`);
      }),
      { numRuns: 100 },
    );
  });

  it('raw: gives equal bytes for hex, base64 and text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), anyText(), (given, text) => {
        const bytes = Buffer.from(given);
        expect(bytesOf(buildPayload({ hex: bytes.toString('hex') }, raw, CONTEXT)).equals(bytes)).to.equal(true);
        expect(bytesOf(buildPayload({ base64: bytes.toString('base64') }, raw, CONTEXT)).equals(bytes)).to.equal(true);
        expect(bytesOf(buildPayload({ text }, raw, CONTEXT)).toString('utf8')).to.equal(text);
      }),
    );
  });

  it('raw: accepts canonical base64 only', () => {
    const sign = fc.constantFrom('A', 'Q', 'g', 'w', 'E', 'Z', '/', '+', '9', '=', '-', ' ');
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 9 }), (base64) => {
        const canonical = Buffer.from(base64, 'base64').toString('base64') === base64;
        expect(buildPayload({ base64 }, raw, CONTEXT).ok).to.equal(canonical);
      }),
      { numRuns: 100 },
    );
  });

  it('json: keeps content and order, or refuses', () => {
    fc.assert(
      fc.property(jsonMembers, (members) => {
        const sent = textOf(members);
        const outcome = buildPayload(JSON.parse(sent) as JsonObject, json, CONTEXT);
        if (outcome.ok) expect(outcome.value.text).to.equal(sent);
        else expect(sent, outcome.refusal.message).to.match(/"(0|[1-9]\d*)":/);
      }),
      { numRuns: 100 },
    );
  });

  describe('payload bytes encode the payload text, or the data is refused', () => {
    const hostile = fc.oneof(anyRequest(), jsonObject(HOSTILE));

    for (const [name, rule] of Object.entries(RULE_CONFIGURATIONS)) {
      it(name, () => {
        const plausible = plausibleData(rule);
        const spoilt = fc.tuple(plausible, fc.nat(), jsonValue(HOSTILE)).map(withAnother);
        let signed = 0;
        fc.assert(
          fc.property(fc.oneof({ weight: 3, arbitrary: plausible }, spoilt, hostile), (data) => {
            const outcome = buildPayload(data, rule, CONTEXT);
            if (outcome.ok) {
              signed += 1;
              expectBytesOfText(outcome.value);
            } else {
              expect(outcome.refusal.path).to.match(/^data(?:[.[]|$)/);
              expect(outcome.refusal.message).to.match(/^(?:must|is|has) /);
            }
          }),
          { numRuns: 100 },
        );
        expect(signed, 'payloads').to.be.greaterThan(0);
      });
    }
  });
});

/** The same data with one member replaced. */
function withAnother([data, index, value]: readonly [JsonObject, number, JsonValue]): JsonObject {
  const names = Object.keys(data);
  const name = names[index % Math.max(names.length, 1)] ?? 'a';
  return { ...data, [name]: value };
}

function anyRequest(): fc.Arbitrary<JsonObject> {
  const names = [
    'method',
    'path',
    'timestamp',
    'query',
    'body',
    'params',
    'text',
    'hex',
    'nonce',
    'orders',
    'action',
    'domain',
  ];
  return fc.dictionary(fc.constantFrom(...names), jsonValue(HOSTILE), { noNullPrototype: true });
}

function expectBytesOfText({ bytes, text, encoding, parts }: Payload): void {
  expect(bytes).to.be.instanceOf(Uint8Array);
  expect(Buffer.from(text, encoding).equals(bytes)).to.equal(true);
  if (encoding === 'utf8') expect(strictUtf8.decode(bytes)).to.equal(text);
  if (encoding === 'hex') expect(text).to.have.lengthOf(bytes.length * 2);
  const { data = {}, values = {}, ...texts } = parts;
  for (const part of Object.values({ ...texts, ...data, ...values })) expect(part).to.be.a('string');
}
