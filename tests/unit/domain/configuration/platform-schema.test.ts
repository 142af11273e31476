import { expect } from 'chai';
import { listPresets } from '../../../../src/adapters/venues/venue-files.ts';
import { listSchemaIssues, schemaMessage } from '../../../../src/domain/configuration/credential-issue.ts';
import { platformSchema } from '../../../../src/domain/configuration/platform-schema.ts';
import {
  ALGORITHMS,
  type Algorithm,
  BOUND_ALGORITHMS,
  ETHEREUM_ALGORITHMS,
  isEthereumAlgorithm,
  isMacAlgorithm,
} from '../../../../src/domain/model/algorithm.ts';
import { joinNames } from '../../../../src/domain/model/text/wording.ts';
import { defaultRule } from '../../../../src/domain/payload/complete-platform.ts';
import { PAYLOAD_RULES, requiredAlgorithm } from '../../../../src/domain/payload/payload-rules.ts';

type Part = Record<string, unknown>;

const WRAP = { domain: { name: 'Exchange' }, primaryType: 'Message', member: 'msg' };
const ED25519 = { algorithms: ['ed25519'] };
const NONCE = { nonce: '{data.nonce}' };

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

function platform(change: Part) {
  const { data, error } = parse(change);
  if (data === undefined) throw error;
  return data;
}

function expectIssue(found: readonly string[], start: string): void {
  expect(
    found.some((issue) => issue.startsWith(start)),
    `${start}\n${found.join('\n')}`,
  ).to.equal(true);
}

describe('platformSchema', () => {
  it('accepts every preset unchanged', () => {
    for (const { name, platform: preset } of listPresets()) {
      expect(platform({ ...preset }), name).to.deep.equal({ platformId: 'alpha', ...preset });
    }
  });

  it('names what is wrong with a send, without a crash', () => {
    const origins = ['https://api.example.com'];
    const headers = { SIGN: '{signature}' };
    const deep = JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`);
    for (const [send, issue] of [
      [{ origins }, 'send must have {signature} in one of its templates'],
      [{}, 'send must have either origins, or message'],
      [{ origins: ['api.example.com'], headers }, 'send.origins.0 must be an origin'],
      [{ origins: ['https://api.example.com/'], headers }, 'send.origins.0 must be an origin'],
      [{ origins, headers, method: 'get' }, 'send.method must be one of'],
      [{ origins, headers: { SIGN: '{signature' } }, 'send.headers.SIGN must be a template'],
      [{ origins, headers: { SIGN: '{signature:number}' } }, 'send.headers.SIGN must be a template'],
      [{ origins, headers: { SIGN: '{signature}\r\nX: y' } }, 'send.headers.SIGN must be'],
      [{ origins, headers: { 'a b': '{signature}' } }, 'send.headers must have names of letters'],
      [{ origins, headers: { Host: '{signature}' } }, 'send.headers must have each header once'],
      [{ origins, headers: { A: '{signature}', a: '1' } }, 'send.headers must have each header once'],
      [{ origins, headers, query: [] }, 'send.query must be'],
      [{ origins, headers, body: [{ methods: ['FOO'], as: '' }] }, 'send.body'],
      [{ origins, headers, body: deep }, 'send.body must'],
      [{ message: { a: '{signature:hex}' } }, 'send.message must be a template'],
      [{ message: { a: '{signature:rsv}' } }, 'send needs the encoding 0x-hex for {signature:rsv}'],
      [{ origins, headers, body: '{params}' }, 'send cannot have {params}, which the rule does not sign'],
      [{ origins, headers, method: 'POST' }, 'send.method must be absent: the rule signs the method'],
      [{ origins, headers, from: { type: { a: 'b' } } }, 'send.from'],
    ] as const) {
      expectIssue(findIssues({ ...ED25519, payload: prehash, send }), issue);
    }
    expect(findIssues({ ...ED25519, payload: prehash, send: { origins, headers, body: '{body}' } })).to.deep.equal([]);
  });

  const all = ALGORITHMS.filter((name) => !BOUND_ALGORITHMS.includes(name));
  const prehash = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' };
  const completed: readonly (readonly [written: Part, algorithms: readonly string[], payload: Part])[] = [
    [{ format: 'A' }, ['ed25519'], { rule: 'jcs' }],
    [{ format: 'B' }, ['eip191'], { rule: 'jcs', field: 'message' }],
    [{ format: 'C' }, all, { rule: 'query', field: 'params' }],
    [{ format: 'D' }, all, prehash],
    [{ payload: { rule: 'prehash' } }, all, prehash],
    [{ payload: { rule: 'hyperliquid-l1' } }, ['hyperliquid-l1'], { rule: 'hyperliquid-l1', network: 'mainnet' }],
    [{ payload: { rule: 'hyperliquid-multi-sig' } }, ['eip712'], { rule: 'hyperliquid-multi-sig', network: 'mainnet' }],
  ];
  for (const [written, algorithms, payload] of completed) {
    it(`fills in algorithms and options that ${JSON.stringify(written)} leaves out`, () => {
      expect(platform(written)).to.deep.equal({ platformId: 'alpha', format: 'any', ...written, algorithms, payload });
    });
  }

  it('accepts rules with their own data only for format any', () => {
    for (const rule of PAYLOAD_RULES) {
      const algorithm = requiredAlgorithm(defaultRule(rule)) ?? 'ed25519';
      const entry = { algorithms: [algorithm], payload: rule === 'jwt' ? { rule, claims: NONCE } : { rule } };
      expect(findIssues(entry), rule).to.deep.equal([]);
      const issue = `payload.rule cannot be ${rule} for formats A to D, whose data never has the form of ${rule}; `;
      for (const format of ['A', 'B', 'C', 'D']) {
        const found = findIssues({ ...entry, format });
        if (['jcs', 'json', 'query', 'prehash'].includes(rule)) expect(found, `${format} ${rule}`).to.deep.equal([]);
        else expectIssue(found, issue);
      }
    }
  });

  const bound = 'rule typed-data or hyperliquid-multi-sig, or rule query with typedData';
  const foreign = 'no other algorithm may sign its payloads';
  const hmac = `requires an HMAC algorithm; remove it, or add ${joinNames(ALGORITHMS.filter(isMacAlgorithm), 'or')} to algorithms`;
  const idle = (placeholder: string, place = 'template') =>
    `has no effect without ${placeholder} in ${place}; remove it, or add the placeholder`;
  const unused = (payload: Part, issue: string): [Part, string] => [{ payload }, `payload.${issue}`];
  const conflicts: readonly (readonly [Part, string])[] = [
    [
      { payload: { rule: 'typed-data' }, algorithms: ['eip712', 'eip191'] },
      `algorithms must be ["eip712"] with ${bound}: ${foreign}`,
    ],
    [
      { payload: { rule: 'query', typedData: WRAP }, algorithms: ['ed25519'] },
      `algorithms must be ["eip712"] with ${bound}: ${foreign}`,
    ],
    [
      { payload: { rule: 'raw' }, algorithms: ['ed25519', 'eip712'] },
      `algorithms.1 cannot be eip712 except with ${bound}, set in payload`,
    ],
    [
      { format: 'B', encoding: 'hex' },
      'encoding must not be hex: signatures of eip191 have a 0x prefix, which the encoding hex lacks; ' +
        'write "encoding": "0x-hex" for platform alpha, or omit encoding',
    ],
    [{ ...ED25519, secretDecoding: 'hex' }, `secretDecoding ${hmac}`],
    [{ ...ED25519, verify: { mac: true } }, `verify.mac ${hmac}`],
    [{ ...ED25519, payload: { rule: 'prehash', passphrase: 'mac' } }, `payload.passphrase ${hmac}`],
    [{ ...ED25519, rules: { login: { rule: 'prehash', passphrase: 'mac' } } }, `rules.login.passphrase ${hmac}`],
    unused({ rule: 'prehash', template: '{timestamp}{path}', body: 'form' }, `body ${idle('{body}')}`),
    unused({ rule: 'prehash', template: '{data.body}', bodyHash: 'sha256' }, `bodyHash ${idle('{body}')}`),
    unused({ rule: 'prehash', template: '{body}', path: { start: '/v2/' } }, `path ${idle('{path}')}`),
    unused({ rule: 'prehash', query: { sort: true } }, `query ${idle('{query} or {?query}')}`),
    unused({ rule: 'query', prefix: 'time', timestamp: 'ms' }, `timestamp ${idle('{timestamp}', 'prefix or suffix')}`),
    unused(
      { rule: 'prehash', template: '{timestamp}{account.apiKey}', values: { apiKey: '1', apikey: '1' } },
      'values.apikey is not used by any template of this rule; it uses apiKey',
    ),
  ];
  for (const [change, issue] of conflicts) {
    it(`reports only: ${issue}`, () => expect(findIssues(change)).to.deep.equal([issue]));
  }

  it('reports a form body beside options with which it could not be signed', () => {
    for (const options of [
      ...[{ sort: true }, { encode: 'none' }, { prefix: 'a' }, { suffix: 'a' }, { field: 'body' }],
      ...[{ parameters: { a: 'required' } }],
    ]) {
      expect(findIssues({ payload: { rule: 'query', body: 'form', ...options } })).to.deep.equal([
        'payload.body must be absent beside sort, encode none, prefix, suffix, typedData, a required parameter, or the field body',
      ]);
    }
  });

  it('accepts fields that go together', () => {
    for (const change of [
      { format: 'C', payload: { rule: 'query', typedData: WRAP }, algorithms: ['eip712'] },
      { format: 'B', encoding: '0x-hex' },
      { encoding: 'hex' },
      { algorithms: ['ed25519', 'hmac-sha256'], secretDecoding: 'hex', verify: { mac: true } },
      { ...ED25519, verify: { mac: false } },
      { payload: { rule: 'prehash', passphrase: 'mac' } },
      { payload: { rule: 'prehash', path: { query: 'none' }, timestamp: 'ms', body: 'form', bodyHash: 'sha256' } },
      { payload: { rule: 'prehash', template: '{path}{?query}', query: { sort: true } } },
      { payload: { rule: 'query', suffix: '|{timestamp}', timestamp: 's' } },
      { payload: { rule: 'query', body: 'form', sort: false, encode: 'percent', parameters: { a: 'excluded' } } },
    ]) {
      expect(findIssues(change), JSON.stringify(change)).to.deep.equal([]);
    }
  });

  it('takes over the status disabled; active is the default and leaves none', () => {
    expect(platform({ status: 'disabled' })).to.deep.include({ status: 'disabled' });
    for (const change of [{ status: 'active' }, {}]) expect(platform(change)).to.not.have.property('status');
  });

  const query = (options: Part) => ({ payload: { rule: 'query', ...options } });
  const wrap = (options: Part) => query({ typedData: { ...WRAP, ...options } });
  const hashed = (options: Part) => ({ payload: { rule: 'prehash', template: '{timestamp}{body}', ...options } });
  const typedData = (domain: unknown) => ({ payload: { rule: 'typed-data', domain } });
  const valueName = 'contains an invalid name; a name has 1 to 32 letters, digits or _ and starts with a letter';
  const wrong: readonly (readonly [Part, string])[] = [
    [{ payload: { rule: 'hmac' } }, 'payload.rule must be one of jcs, json, raw, query, prehash, kraken, backpack'],
    [{ payload: { rule: 'raw', field: 'x' } }, 'payload.field is an unknown field'],
    [{ payload: { rule: 'json', field: '' } }, 'payload.field must name a field of data'],
    [query({ parameters: { '': 'required' } }), 'payload.parameters contains an invalid name'],
    [query({ prefix: '{nonce}' }), 'payload.prefix has an unknown placeholder'],
    [query({ suffix: '{query}' }), 'payload.suffix must not contain {query}'],
    [wrap({ domain: {} }), 'payload.typedData.domain must have at least one member'],
    [wrap({ primaryType: 'uint256' }), 'payload.typedData.primaryType must not be a name reserved by EIP-712'],
    [wrap({ primaryType: '1st' }), 'payload.typedData.primaryType must be the name of a struct type'],
    [wrap({ member: 'a b' }), 'payload.typedData.member must be 1 to 64 letters'],
    [hashed({ template: '{account.apiKey}' }), 'payload.template must contain at least one of the placeholders'],
    [hashed({ template: `{body}${'x'.repeat(1000)}` }), 'payload.template must have at most 1000 characters'],
    [hashed({ separator: '' }), 'payload.separator must have at least one character'],
    [hashed({ separator: '{body}' }), 'payload.separator must not contain braces'],
    [hashed({ separator: 'x'.repeat(17) }), 'payload.separator must have at most 16 characters'],
    [hashed({ separator: '\ud83d' }), 'payload.separator must be well-formed Unicode'],
    [hashed({ values: JSON.parse('{"__proto__": "x"}') }), `payload.values ${valueName}`],
    [hashed({ path: {} }), 'payload.path must have at least one member'],
    [hashed({ path: { start: '/v2/?' } }), 'payload.path.start must start with /, followed by letters'],
    [hashed({ path: { start: `/${'a'.repeat(64)}` } }), 'payload.path.start must have at most 64 characters'],
    [typedData({ name: '\ud83d' }), 'payload.domain.name must be well-formed Unicode'],
    [typedData({ chainId: '0x1' }), 'payload.domain.chainId must be an integer'],
    [typedData({ chainId: (2n ** 256n).toString() }), 'payload.domain.chainId must be an integer from 0 to 2^256 - 1'],
    [typedData({ verifyingContract: '0x00' }), 'payload.domain.verifyingContract must be an address'],
    [typedData({ salt: 'x' }), 'payload.domain.salt must be 32 bytes'],
    [
      { payload: { rule: 'starknet-typed-data', domain: { chainId: (2n ** 252n).toString() } } },
      'payload.domain.chainId must be an integer from 0 to 2^251 + 17*2^192, as a number',
    ],
  ];
  for (const [change, issue] of wrong) {
    it(`reports: ${issue}`, () => expectIssue(findIssues(change), issue));
  }
});

describe('platformSchema, rule jwt', () => {
  const issuesOf = (rule: Part, algorithms: readonly string[] = ['es256'], format = 'any') =>
    findIssues({ algorithms, format, payload: { rule: 'jwt', ...rule } });

  it('accepts its options, and has a default', () => {
    expect(issuesOf({})).to.deep.equal([]);
    const claims = { aud: ['a', '{account.name}'], exp: { time: 's', expiresIn: 120 }, 'https://x.example/y': 'z' };
    expect(issuesOf({ header: NONCE, claims, queryHash: { encode: 'none' } })).to.deep.equal([]);
  });

  for (const [rule, issue] of [
    [{ claims: { exp: { time: 's', expiresIn: 121 } } }, 'payload.claims.exp'],
    [{ claims: { exp: { time: 's', expiresIn: 0 } } }, 'payload.claims.exp'],
    [{ header: { alg: 'none' } }, 'payload.header contains a reserved name'],
    [{ claims: { ...NONCE, '1': 'a' } }, 'payload.claims contains an invalid name'],
    [{ claims: { ...NONCE, a: '{body}' } }, 'payload.claims.a'],
    [{ claims: { ...NONCE, query_hash: 'x' }, queryHash: {} }, 'payload.claims.query_hash must be absent'],
    [{ claims: { iss: '{account.name}' } }, 'payload must take a part of the request'],
  ] as const) {
    it(`reports for ${JSON.stringify(rule)}: ${issue}`, () => expectIssue(issuesOf(rule), issue));
  }

  it('rejects algorithms that sign no tokens, and an encoding, which has no effect', () => {
    expectIssue(issuesOf({}, ['es256', 'eip191']), 'payload.rule cannot be jwt for eip191');
    expect(issuesOfRule({ rule: 'jwt', encoding: 'hex' }, { algorithms: ['es256'] })).to.deep.equal([
      'rules.login.encoding has no effect on a token, whose parts are base64url; remove it',
    ]);
  });
});

describe('platformSchema, named rules', () => {
  const L1 = { algorithms: ['hyperliquid-l1'], payload: { rule: 'hyperliquid-l1' } };
  const STARK = { payload: { rule: 'starknet-typed-data' } };

  it('get the defaults of the rule', () => {
    const { rules } = platform({
      ...ED25519,
      rules: { fix: { rule: 'query' }, raw: { rule: 'raw', encoding: 'hex' } },
    });
    expect(rules).to.deep.equal({ fix: { rule: 'query', field: 'params' }, raw: { rule: 'raw', encoding: 'hex' } });
    expect(platform(ED25519)).to.not.have.property('rules');
  });

  it('may be every rule, whatever the format, since they take any data', () => {
    for (const rule of PAYLOAD_RULES) {
      // Their keys differ from those of the platform's other algorithms.
      if (rule === 'starknet-typed-data' || rule === 'cosmos-sign-doc') continue;
      const algorithm = requiredAlgorithm(defaultRule(rule)) ?? 'eip191';
      const entry = rule === 'jwt' ? { rule, claims: NONCE } : { rule, algorithm };
      const issues = issuesOfRule(entry, { format: 'A', algorithms: [rule === 'jwt' ? 'es256' : 'eip191'] });
      expect(issues, rule).to.deep.equal([]);
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
    for (const name of ['Login', '4', '', 'x'.repeat(33)]) {
      expect(findIssues({ rules: { [name]: { rule: 'rwa' } } }), name).to.deep.equal([pattern]);
    }
    expect(findIssues(JSON.parse('{"rules":{"__proto__":{"rule":"raw"}}}'))).to.deep.equal([pattern]);
    expect(findIssues({ rules: { default: { rule: 'raw' } } })).to.deep.equal([
      'rules contains the name default, which is reserved for payload',
    ]);
  });

  it('may name no hex without prefix for Ethereum algorithms', () => {
    expect(issuesOfRule({ rule: 'raw', encoding: 'hex' })).to.deep.equal([]);
    const mixed = { algorithms: ['ed25519', 'eip191'] };
    expectIssue(issuesOfRule({ rule: 'raw', encoding: 'hex' }, mixed), 'rules.login.encoding must not be hex');
  });

  it('name the algorithm that must sign instead', () => {
    const cases: readonly (readonly [rule: Part, platform: Part, issue: string])[] = [
      [{ rule: 'typed-data', algorithm: 'eip191' }, L1, 'must be eip712 with rule typed-data'],
      [{ rule: 'raw' }, L1, 'must be eip191: hyperliquid-l1 is only for rule hyperliquid-l1'],
      [{ rule: 'raw' }, STARK, 'must be absent, the algorithms of the platform ["starknet"], and every rule'],
      [{ rule: 'raw', algorithm: 'eip191' }, ED25519, 'requires secp256k1 keys; remove ed25519 from the algorithms'],
      [{ rule: 'raw', algorithm: 'es256' }, ED25519, 'must be one of eip191, eip712, hyperliquid-l1'],
    ];
    for (const [rule, own, issue] of cases) expectIssue(issuesOfRule(rule, own), `rules.login.algorithm ${issue}`);
    const cosmos = issuesOfRule({ rule: 'cosmos-sign-doc', chainId: 'a-1' });
    expect(cosmos).to.deep.equal(['rules.login.rule requires a platform whose only algorithm is cosmos']);
  });

  it('are signed by no algorithm that another kind of message belongs to, in any combination', () => {
    /** Whether an algorithm signs what rules make that name none. */
    const signsFreely = (rule: string, algorithm: Algorithm) =>
      rule === 'jwt'
        ? ['ed25519', 'hmac-sha256', 'hmac-sha512', 'es256'].includes(algorithm)
        : !BOUND_ALGORITHMS.some((one) => one === algorithm);
    const rules = [...PAYLOAD_RULES.map((rule) => ({ rule })), { rule: 'query' as const, typedData: WRAP }];
    for (const rule of rules) {
      const required = requiredAlgorithm({ ...defaultRule(rule.rule), ...rule });
      for (const [own, ofAccount] of [
        [ED25519, 'ed25519'],
        [{ algorithms: ['eip191'] }, 'eip191'],
        [{ payload: { rule: 'typed-data' } }, 'eip712'],
        [L1, 'hyperliquid-l1'],
        [STARK, 'starknet'],
      ] as const) {
        for (const algorithm of [undefined, ...ETHEREUM_ALGORITHMS]) {
          const signing = algorithm ?? ofAccount;
          const hasKey = algorithm === undefined || isEthereumAlgorithm(ofAccount);
          const isFitting = required === undefined ? signsFreely(rule.rule, signing) : signing === required;
          const claims = rule.rule === 'jwt' ? { claims: NONCE } : {};
          const entry = { ...rule, ...claims, ...(algorithm === undefined ? {} : { algorithm }) };
          expect(issuesOfRule(entry, own).length === 0, `${JSON.stringify(rule)} ${ofAccount} ${algorithm}`).to.equal(
            hasKey && isFitting,
          );
        }
      }
    }
  });

  it('are checked as payload is, with their own paths', () => {
    for (const [rule, issue] of [
      [{ rule: 'raw', field: 'x' }, 'rules.login.field is an unknown field'],
      [{ rule: 'prehash', body: 'form', template: '{path}' }, 'rules.login.body has no effect without {body}'],
      [{ rule: 'prehash', values: { key: 'k' } }, 'rules.login.values.key is not used by any template of this rule'],
      ['raw', 'rules.login must be an object'],
    ] as const) {
      expectIssue(issuesOfRule(rule), issue);
    }
  });
});
