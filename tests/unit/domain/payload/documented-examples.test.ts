import { expect } from 'chai';
import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { FixedValues, PayloadRule } from '../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../src/domain/payload/build-payload.ts';
import { completePlatform } from '../../../../src/domain/payload/complete-platform.ts';
import { PAYLOAD_RULES } from '../../../../src/domain/payload/payload-rules.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';
import { readProjectFile } from '../../../project-root.ts';

interface Example {
  readonly payload: PayloadRule;
  readonly algorithm?: Algorithm;
  readonly values?: FixedValues;
  readonly data: JsonObject;
  readonly signs?: string;
  readonly signsHex?: string;
  readonly parts?: JsonObject;
}

const PAGE = readProjectFile('docs/callers/payload-rules.md');
const EXAMPLES = [...PAGE.matchAll(/^```json example\n(.*?)^```$/gms)].map(
  ([, text]) => JSON.parse(text ?? '') as Example,
);

describe('The examples in docs/callers/payload-rules.md', () => {
  it('show every rule', () => {
    expect(new Set(EXAMPLES.map(({ payload }) => payload.rule))).to.deep.equal(new Set(PAYLOAD_RULES));
  });

  for (const [index, { payload, algorithm, values, data, signs, signsHex, parts }] of EXAMPLES.entries()) {
    it(`number ${index + 1}, of ${payload.rule}, signs the documented payload`, () => {
      const { payload: rule } = completePlatform({ platformId: 'alpha', format: 'any', payload });
      const outcome = buildPayload(data, rule, payloadContext(values, algorithm));
      if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
      const { bytes, text, encoding } = outcome.value;
      expect(Buffer.from(bytes).toString('hex')).to.equal(signsHex ?? Buffer.from(signs ?? '').toString('hex'));
      expect(encoding === 'utf8' ? text : undefined).to.equal(signs);
      expect(outcome.value.parts).to.deep.equal(parts ?? {});
    });
  }
});
