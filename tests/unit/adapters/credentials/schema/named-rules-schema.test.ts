import { expect } from 'chai';
import { listSchemaIssues, schemaMessage } from '../../../../../src/adapters/credentials/credential-issue.ts';
import { toPlatform } from '../../../../../src/adapters/credentials/entry-defaults.ts';
import { platformSchema } from '../../../../../src/adapters/credentials/schema/platform-schema.ts';
import {
  ALGORITHMS,
  type Algorithm,
  BOUND_ALGORITHMS,
  isSecp256k1Algorithm,
  SECP256K1_ALGORITHMS,
  SIGNATURE_ENCODINGS,
} from '../../../../../src/domain/model/algorithm.ts';
import { PAYLOAD_RULES } from '../../../../../src/domain/model/payload-rule.ts';
import { completeRule, DEFAULT_RULE_OPTIONS, requiredAlgorithm } from '../../../../../src/domain/model/platform.ts';

type Part = Record<string, unknown>;

const WRAP = { domain: { name: 'Exchange' }, primaryType: 'Message', member: 'msg' };
const ED25519 = { algorithms: ['ed25519'] };
const STARK = { payload: { rule: 'starknet-typed-data' } } as const;
const STARK_ONLY = 'must be absent, the algorithms of the platform ["starknet"], and every rule starknet-typed-data';
const L1 = { algorithms: ['hyperliquid-l1'], payload: { rule: 'hyperliquid-l1' } };

function parse(change: Part) {
  return platformSchema.safeParse({ platformId: 'alpha', format: 'any', ...change }, { error: schemaMessage });
}

/** Issues of a platform entry, as `path message`. */
function findIssues(change: Part): readonly string[] {
  const { error } = parse(change);
  return listSchemaIssues(error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
}

/** Issues of a platform with one named rule. */
function issuesOfRule(rule: unknown, platform: Part = ED25519): readonly string[] {
  return findIssues({ ...platform, rules: { login: rule } });
}

/** Whether an algorithm signs what rules make that name none. */
function signsFreely(rule: string, algorithm: Algorithm): boolean {
  if (rule === 'jwt') return ['ed25519', 'hmac-sha256', 'hmac-sha512', 'es256'].includes(algorithm);
  return !BOUND_ALGORITHMS.some((bound) => bound === algorithm);
}

describe('platformSchema, named rules', () => {
  it('are any rules with their options, and get the defaults of the rule', () => {
    const { data, error } = parse({
      ...ED25519,
      rules: {
        login: { rule: 'prehash', template: '{timestamp}GET/verify', timestamp: 's', encoding: 'base64' },
        fix: { rule: 'query' },
      },
    });
    if (data === undefined) throw error;
    expect(toPlatform(data).rules).to.deep.equal({
      login: { rule: 'prehash', template: '{timestamp}GET/verify', timestamp: 's', encoding: 'base64' },
      fix: { rule: 'query', field: 'params' },
    });
  });

  it('are absent where the file has none', () => {
    const { data, error } = parse(ED25519);
    if (data === undefined) throw error;
    expect(toPlatform(data)).to.not.have.property('rules');
  });

  it('may be every rule, whatever the format, since they take any data', () => {
    for (const format of ['A', 'B', 'C', 'D', 'any']) {
      for (const rule of PAYLOAD_RULES) {
        // Their keys differ from those of the platform's other algorithms.
        if (rule === 'starknet-typed-data' || rule === 'cosmos-sign-doc') continue;
        const algorithm = requiredAlgorithm(DEFAULT_RULE_OPTIONS[rule]) ?? 'eip191';
        const entry = rule === 'jwt' ? { rule, claims: { jti: '{data.nonce}' } } : { rule, algorithm };
        const issues = issuesOfRule(entry, { format, algorithms: [rule === 'jwt' ? 'es256' : 'eip191'] });
        expect(issues, `${format} ${rule}`).to.deep.equal([]);
      }
      const cosmos = { format: 'any', payload: { rule: 'cosmos-sign-doc' } };
      expect(issuesOfRule({ rule: 'cosmos-sign-doc', chainId: 'a-1' }, cosmos)).to.deep.equal([]);
    }
  });

  it('are at most 16', () => {
    const rules = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`rule-${index}`, { rule: 'raw' }]));
    expect(findIssues({ rules: rules(16) })).to.deep.equal([]);
    expect(findIssues({ rules: rules(17) })).to.deep.equal(['rules must have at most 16 rules']);
  });

  it('have a name that requests and records can carry, which is never quoted where it is wrong', () => {
    const pattern =
      'rules contains an invalid name; a name has 1 to 32 lowercase letters, digits or - and starts with a letter';
    for (const name of ['Login', '4', '-', 'a_b', '', 'x'.repeat(33)]) {
      expect(findIssues({ rules: { [name]: { rule: 'rwa' } } }), name).to.deep.equal([pattern]);
    }
    expect(findIssues(JSON.parse('{"rules":{"__proto__":{"rule":"raw"}}}'))).to.deep.equal([pattern]);
    expect(findIssues({ rules: { default: { rule: 'raw' } } })).to.deep.equal([
      'rules contains the name default, which is reserved for payload',
    ]);
    expect(findIssues({ rules: { constructor: { rule: 'raw' } } })).to.deep.equal([]);
  });

  it('may name each encoding, but no hex without prefix for Ethereum algorithms', () => {
    for (const encoding of SIGNATURE_ENCODINGS) {
      expect(issuesOfRule({ rule: 'raw', encoding })).to.deep.equal([]);
    }
    for (const algorithms of [['eip191'], ['ed25519', 'eip191']]) {
      expect(issuesOfRule({ rule: 'raw', encoding: '0x-hex' }, { algorithms })).to.deep.equal([]);
      expect(issuesOfRule({ rule: 'raw', encoding: 'hex' }, { algorithms })).to.deep.equal([
        'rules.login.encoding must not be hex: signatures of eip191 have a 0x prefix, which the encoding hex lacks; ' +
          'use 0x-hex, or omit it',
      ]);
    }
  });

  it('sign typed data with its own algorithm alone, their own or that of the platform', () => {
    const beside = 'rule typed-data or hyperliquid-multi-sig, or rule query with typedData';
    const foreign = 'no other algorithm may sign its payloads';
    const cases: readonly (readonly [rule: Part, platform: Part, issue: string | null])[] = [
      [{ rule: 'typed-data', algorithm: 'eip712' }, L1, null],
      [{ rule: 'query', typedData: WRAP, algorithm: 'eip712' }, L1, null],
      [{ rule: 'hyperliquid-l1', network: 'testnet' }, L1, null],
      [{ rule: 'hyperliquid-multi-sig', algorithm: 'eip712' }, L1, null],
      [{ rule: 'hyperliquid-multi-sig' }, L1, `must be eip712 with ${beside}: ${foreign}`],
      [{ rule: 'hyperliquid-l1', algorithm: 'hyperliquid-l1' }, { algorithms: ['eip191'] }, null],
      [{ rule: 'typed-data' }, { payload: { rule: 'typed-data' } }, null],
      [{ rule: 'raw', algorithm: 'eip191' }, L1, null],
      [{ rule: 'typed-data' }, L1, `must be eip712 with ${beside}: ${foreign}`],
      [{ rule: 'typed-data', algorithm: 'eip191' }, L1, `must be eip712 with ${beside}: ${foreign}`],
      [{ rule: 'typed-data', algorithm: 'hyperliquid-l1' }, L1, `must be eip712 with ${beside}: ${foreign}`],
      [{ rule: 'query', typedData: WRAP }, { algorithms: ['eip191'] }, `must be eip712 with ${beside}: ${foreign}`],
      [
        { rule: 'hyperliquid-l1' },
        { algorithms: ['eip191'] },
        `must be hyperliquid-l1 with rule hyperliquid-l1: ${foreign}`,
      ],
      [
        { rule: 'hyperliquid-l1', algorithm: 'eip712' },
        L1,
        `must be hyperliquid-l1 with rule hyperliquid-l1: ${foreign}`,
      ],
      [{ rule: 'raw' }, L1, 'must be eip191: hyperliquid-l1 is only for rule hyperliquid-l1'],
      [{ rule: 'jcs', algorithm: 'eip712' }, L1, `must be eip191: eip712 is only for ${beside}`],
      [{ rule: 'starknet-typed-data' }, STARK, null],
      [{ rule: 'starknet-typed-data' }, L1, `${STARK_ONLY}: ${foreign}`],
      [{ rule: 'starknet-typed-data' }, ED25519, `${STARK_ONLY}: ${foreign}`],
      [{ rule: 'starknet-typed-data', algorithm: 'eip712' }, STARK, `${STARK_ONLY}: ${foreign}`],
      [{ rule: 'raw' }, STARK, `${STARK_ONLY}: ${foreign}`],
      [{ rule: 'typed-data', algorithm: 'eip712' }, STARK, `${STARK_ONLY}: ${foreign}`],
    ];
    for (const [rule, platform, issue] of cases) {
      const wanted = issue === null ? [] : [`rules.login.algorithm ${issue}`];
      expect(issuesOfRule(rule, platform), JSON.stringify(rule)).to.deep.equal(wanted);
    }
  });

  it('are signed by no algorithm that another kind of message belongs to, in any combination', () => {
    const rules = [...PAYLOAD_RULES.map((rule) => ({ rule })), { rule: 'query' as const, typedData: WRAP }];
    for (const rule of rules) {
      const required = requiredAlgorithm(completeRule(rule));
      const isTyped = required !== undefined;
      for (const [platform, ofAccount] of [
        [ED25519, 'ed25519'],
        [{ algorithms: ['eip191'] }, 'eip191'],
        [{ payload: { rule: 'typed-data' } }, 'eip712'],
        [L1, 'hyperliquid-l1'],
        [STARK, 'starknet'],
      ] as const) {
        for (const algorithm of [undefined, ...SECP256K1_ALGORITHMS]) {
          const signing = algorithm ?? ofAccount;
          const hasKey = algorithm === undefined || isSecp256k1Algorithm(ofAccount);
          const isFitting = isTyped ? signing === required : signsFreely(rule.rule, signing);
          const claims = rule.rule === 'jwt' ? { claims: { jti: '{data.nonce}' } } : {};
          const issues = issuesOfRule(
            { ...rule, ...claims, ...(algorithm === undefined ? {} : { algorithm }) },
            platform,
          );
          expect(issues.length === 0, `${JSON.stringify(rule)} ${ofAccount} ${algorithm}`).to.equal(
            hasKey && isFitting,
          );
        }
      }
    }
  });

  it('sign with another algorithm only where every account has a key for it', () => {
    for (const algorithm of SECP256K1_ALGORITHMS) {
      const rule = { rule: algorithm === 'eip191' ? 'raw' : algorithm === 'eip712' ? 'typed-data' : algorithm };
      for (const [other, algorithms] of [
        ['ed25519', ['ed25519']],
        ['hmac-sha256', ['eip191', 'hmac-sha256']],
        ['ed25519, hmac-sha256, hmac-sha384, hmac-sha512, rsa-sha256, es256', undefined],
      ] as const) {
        const platform = algorithms === undefined ? {} : { algorithms };
        expect(issuesOfRule({ ...rule, algorithm }, platform), `${algorithm} ${other}`).to.deep.equal([
          `rules.login.algorithm requires secp256k1 keys; remove ${other} from the algorithms of the platform`,
        ]);
      }
    }
    const others = ALGORITHMS.filter((name) => !SECP256K1_ALGORITHMS.some((known) => known === name));
    for (const algorithm of others) {
      expect(issuesOfRule({ rule: 'raw', algorithm })).to.deep.equal([
        'rules.login.algorithm must be one of eip191, eip712, hyperliquid-l1',
      ]);
    }
  });

  it('are checked as payload is, with their own paths', () => {
    const cases: readonly (readonly [rule: unknown, issue: string])[] = [
      [{ rule: 'hmac' }, 'rules.login.rule must be one of jcs, json, raw'],
      [{ rule: 'raw', field: 'x' }, 'rules.login.field is an unknown field'],
      [{ rule: 'prehash', template: 'constant' }, 'rules.login.template must contain at least one of the placeholders'],
      [{ rule: 'prehash', body: 'form', template: '{path}' }, 'rules.login.body has no effect without {body}'],
      [{ rule: 'query', timestamp: 'ms' }, 'rules.login.timestamp has no effect without {timestamp} in prefix'],
      [{ rule: 'prehash', values: { key: 'k' } }, 'rules.login.values.key is not used by any template of this rule'],
      [{ rule: 'typed-data', domain: {} }, 'rules.login.domain must have at least one member'],
      ['raw', 'rules.login must be an object'],
    ];
    for (const [rule, issue] of cases) {
      const found = issuesOfRule(rule);
      expect(
        found.some((text) => text.startsWith(issue)),
        found.join('\n'),
      ).to.equal(true);
    }
    expect(findIssues({ rules: [] })).to.deep.equal(['rules must be an object']);
  });
});
