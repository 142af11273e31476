import { expect } from 'chai';
import { listSchemaIssues, schemaMessage } from '../../../../../src/adapters/credentials/credential-issue.ts';
import { toPlatform } from '../../../../../src/adapters/credentials/entry-defaults.ts';
import { platformSchema } from '../../../../../src/adapters/credentials/schema/platform-schema.ts';
import { SECRET_DECODINGS } from '../../../../../src/domain/model/account.ts';
import { VENUE_PRESETS } from '../../../../../src/domain/presets/venue-presets.ts';

type Part = Record<string, unknown>;

const DOMAIN = {
  name: 'Exchange',
  version: '1',
  chainId: 1337,
  verifyingContract: '0x0000000000000000000000000000000000000000',
  salt: `0x${'0f'.repeat(32)}`,
};
const WRAP = { domain: { name: 'Exchange' }, primaryType: 'Message', member: 'msg' };

function parse(change: Part) {
  return platformSchema.safeParse({ platformId: 'alpha', format: 'any', ...change }, { error: schemaMessage });
}

/** Issues of a platform entry, as `path message`. */
function findIssues(change: Part): readonly string[] {
  const { error } = parse(change);
  return listSchemaIssues(error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
}

function platform(change: Part) {
  const { data, error } = parse(change);
  if (data === undefined) throw error;
  return toPlatform(data);
}

describe('platformSchema', () => {
  const completed: readonly (readonly [Part, Part])[] = [
    [{ rule: 'jcs' }, { rule: 'jcs' }],
    [
      { rule: 'json', field: 'order' },
      { rule: 'json', field: 'order' },
    ],
    [{ rule: 'raw' }, { rule: 'raw' }],
    [{ rule: 'query' }, { rule: 'query', field: 'params' }],
    [
      { rule: 'query', sort: true, encode: 'none', prefix: 'a={account.id}&', suffix: '|{timestamp}' },
      { rule: 'query', field: 'params', sort: true, encode: 'none', prefix: 'a={account.id}&', suffix: '|{timestamp}' },
    ],
    [
      { rule: 'query', field: 'order', typedData: WRAP },
      { rule: 'query', field: 'order', typedData: WRAP },
    ],
    [
      { rule: 'query', field: 'order', parameters: { apiKey: 'required', timestamp: 'excluded' } },
      { rule: 'query', field: 'order', parameters: { apiKey: 'required', timestamp: 'excluded' } },
    ],
    [{ rule: 'prehash' }, { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' }],
    [
      {
        rule: 'prehash',
        template: '{method}{path}{?query}{timestamp}{account.recvWindow}{account.apiKey}{body}',
        separator: '\n',
        timestamp: 's',
        query: { sort: true, encode: 'percent', parameters: { timestamp: 'excluded' } },
        body: 'form-sorted',
        bodyHash: 'sha512',
        values: { apiKey: 'k', recvWindow: '5000' },
      },
      {
        rule: 'prehash',
        template: '{method}{path}{?query}{timestamp}{account.recvWindow}{account.apiKey}{body}',
        separator: '\n',
        timestamp: 's',
        query: { sort: true, encode: 'percent', parameters: { timestamp: 'excluded' } },
        body: 'form-sorted',
        bodyHash: 'sha512',
        values: { apiKey: 'k', recvWindow: '5000' },
      },
    ],
    [{ rule: 'kraken' }, { rule: 'kraken' }],
    [{ rule: 'backpack' }, { rule: 'backpack' }],
    [
      { rule: 'typed-data', domain: DOMAIN },
      { rule: 'typed-data', domain: DOMAIN },
    ],
    [
      { rule: 'typed-data', domain: { chainId: '115792089237316195423570985008687907853269984665640564039457' } },
      { rule: 'typed-data', domain: { chainId: '115792089237316195423570985008687907853269984665640564039457' } },
    ],
    [{ rule: 'hyperliquid-l1' }, { rule: 'hyperliquid-l1', network: 'mainnet' }],
    [
      { rule: 'hyperliquid-l1', network: 'testnet' },
      { rule: 'hyperliquid-l1', network: 'testnet' },
    ],
    [{ rule: 'hyperliquid-multi-sig' }, { rule: 'hyperliquid-multi-sig', network: 'mainnet' }],
  ];
  for (const [payload, meant] of completed) {
    it(`accepts ${JSON.stringify(payload).slice(0, 80)} and fills in defaults`, () => {
      expect(platform({ payload }).payload).to.deep.equal(meant);
    });
  }

  it('accepts every preset unchanged', () => {
    for (const { name, platform: preset } of VENUE_PRESETS) {
      expect(platform({ ...preset }), name).to.deep.equal({ platformId: 'alpha', ...preset });
    }
  });

  it('accepts generic rules for every format, and rules with their own data only for format any', () => {
    for (const format of ['A', 'B', 'C', 'D', 'any']) {
      for (const rule of ['jcs', 'json', 'query', 'prehash']) {
        expect(findIssues({ format, payload: { rule } }), `${format} ${rule}`).to.deep.equal([]);
      }
    }
    for (const rule of [
      'raw',
      'kraken',
      'backpack',
      'typed-data',
      'hyperliquid-l1',
      'concat-sorted',
      'kraken-futures',
      'hyperliquid-multi-sig',
    ]) {
      expect(findIssues({ payload: { rule } }), rule).to.deep.equal([]);
      for (const format of ['A', 'B', 'C', 'D']) {
        expect(findIssues({ format, payload: { rule } }), `${format} ${rule}`).to.include(
          `payload.rule cannot be ${rule} for formats A to D, whose data never has the form of ${rule}; ` +
            'set format to any, or rule to jcs, json, query or prehash',
        );
      }
    }
  });

  it('defaults algorithms to those of the rule, else of the format', () => {
    expect(platform({ payload: { rule: 'typed-data' } }).algorithms).to.deep.equal(['eip712']);
    expect(platform({ payload: { rule: 'query', typedData: WRAP } }).algorithms).to.deep.equal(['eip712']);
    expect(platform({ payload: { rule: 'hyperliquid-l1' } }).algorithms).to.deep.equal(['hyperliquid-l1']);
    expect(platform({ format: 'A' }).algorithms).to.deep.equal(['ed25519']);
    expect(platform({ format: 'C' }).algorithms).to.deep.equal([
      'ed25519',
      'eip191',
      'hmac-sha256',
      'hmac-sha384',
      'hmac-sha512',
      'rsa-sha256',
      'es256',
    ]);
  });

  it('requires typed data rules and their algorithms to match', () => {
    const together: readonly Part[] = [
      { payload: { rule: 'typed-data' }, algorithms: ['eip712'] },
      { format: 'C', payload: { rule: 'query', typedData: WRAP }, algorithms: ['eip712'] },
      { payload: { rule: 'hyperliquid-l1' }, algorithms: ['hyperliquid-l1'] },
      { payload: { rule: 'hyperliquid-multi-sig' }, algorithms: ['eip712'] },
    ];
    for (const change of together) expect(findIssues(change)).to.deep.equal([]);

    const foreign = 'no other algorithm may sign its payloads';
    const apart: readonly (readonly [Part, string])[] = [
      [
        { payload: { rule: 'typed-data' }, algorithms: ['eip712', 'eip191'] },
        `algorithms must be ["eip712"] with rule typed-data or hyperliquid-multi-sig, or rule query with typedData: ${foreign}`,
      ],
      [
        { payload: { rule: 'query', typedData: WRAP }, algorithms: ['ed25519'] },
        `algorithms must be ["eip712"] with rule typed-data or hyperliquid-multi-sig, or rule query with typedData: ${foreign}`,
      ],
      [
        { payload: { rule: 'hyperliquid-l1' }, algorithms: ['eip712'] },
        `algorithms must be ["hyperliquid-l1"] with rule hyperliquid-l1: ${foreign}`,
      ],
      [
        { payload: { rule: 'raw' }, algorithms: ['ed25519', 'eip712'] },
        'algorithms.1 cannot be eip712 except with rule typed-data or hyperliquid-multi-sig, or rule query with typedData, set in payload',
      ],
      [
        { payload: { rule: 'query' }, algorithms: ['hyperliquid-l1'] },
        'algorithms.0 cannot be hyperliquid-l1 except with rule hyperliquid-l1, set in payload',
      ],
    ];
    for (const [change, issue] of apart) expect(findIssues(change)).to.deep.equal([issue]);
  });

  it('rejects the encoding hex for Ethereum algorithms and names 0x-hex', () => {
    const wanted = (algorithms: string) => [
      `encoding must not be hex: signatures of ${algorithms} have a 0x prefix, which the encoding hex lacks; ` +
        'write "encoding": "0x-hex" for platform alpha, or omit encoding',
    ];
    expect(findIssues({ format: 'B', encoding: 'hex' })).to.deep.equal(wanted('eip191'));
    expect(findIssues({ algorithms: ['eip191'], encoding: 'hex' })).to.deep.equal(wanted('eip191'));
    expect(findIssues({ payload: { rule: 'typed-data' }, encoding: 'hex' })).to.deep.equal(wanted('eip712'));
    for (const change of [{ format: 'B', encoding: '0x-hex' }, { encoding: 'hex' }, { format: 'B' }]) {
      expect(findIssues(change)).to.deep.equal([]);
    }
  });

  it('takes over the status disabled; active is the default and leaves none', () => {
    expect(platform({ status: 'disabled' })).to.deep.include({ status: 'disabled' });
    for (const change of [{ status: 'active' }, {}]) expect(platform(change)).to.not.have.property('status');
  });

  it('accepts secretDecoding and MAC verification only with an HMAC algorithm', () => {
    for (const secretDecoding of SECRET_DECODINGS) {
      const change = { algorithms: ['hmac-sha512'], secretDecoding, verify: { mac: true } };
      expect(platform(change)).to.deep.include({ secretDecoding, verify: { mac: true } });
      expect(findIssues({ ...change, algorithms: ['ed25519', 'hmac-sha256'] })).to.deep.equal([]);
    }
    expect(findIssues({ algorithms: ['ed25519'], verify: { mac: false } })).to.deep.equal([]);
    const reason =
      'requires an HMAC algorithm; remove it, or add hmac-sha256, hmac-sha384 or hmac-sha512 to algorithms';
    for (const change of [{ format: 'A' }, { algorithms: ['ed25519'] }, { payload: { rule: 'typed-data' } }]) {
      expect(findIssues({ ...change, secretDecoding: 'hex', verify: { mac: true } })).to.deep.equal([
        `secretDecoding ${reason}`,
        `verify.mac ${reason}`,
      ]);
    }
  });

  it('accepts a passphrase only with an HMAC algorithm', () => {
    const payload = { rule: 'prehash', passphrase: 'mac' };
    expect(findIssues({ payload })).to.deep.equal([]);
    const reason =
      'requires an HMAC algorithm; remove it, or add hmac-sha256, hmac-sha384 or hmac-sha512 to algorithms';
    expect(findIssues({ payload, algorithms: ['ed25519'] })).to.deep.equal([`payload.passphrase ${reason}`]);
    expect(findIssues({ algorithms: ['ed25519'], rules: { login: payload } })).to.deep.equal([
      `rules.login.passphrase ${reason}`,
    ]);
    expect(findIssues({ payload: { rule: 'prehash', passphrase: 'text' } })).to.deep.equal([
      'payload.passphrase must be one of mac',
    ]);
  });

  it('rejects an option for a placeholder that no template of the rule has', () => {
    const without = (placeholder: string, place = 'template') =>
      `has no effect without ${placeholder} in ${place}; remove it, or add the placeholder`;
    const idle: readonly (readonly [Part, string])[] = [
      [{ rule: 'prehash', template: '{timestamp}{path}', body: 'form' }, `payload.body ${without('{body}')}`],
      [{ rule: 'prehash', template: '{data.body}', bodyHash: 'sha256' }, `payload.bodyHash ${without('{body}')}`],
      [{ rule: 'prehash', template: '{body}', path: { start: '/v2/' } }, `payload.path ${without('{path}')}`],
      [{ rule: 'prehash', query: { sort: true } }, `payload.query ${without('{query} or {?query}')}`],
      [
        { rule: 'prehash', template: '{path}{data.timestamp}', timestamp: 's' },
        `payload.timestamp ${without('{timestamp}')}`,
      ],
      [
        { rule: 'query', prefix: 'timestamp', timestamp: 'ms' },
        `payload.timestamp ${without('{timestamp}', 'prefix or suffix')}`,
      ],
    ];
    for (const [payload, issue] of idle) expect(findIssues({ payload }), issue).to.deep.equal([issue]);

    const effective: readonly Part[] = [
      { rule: 'prehash', path: { start: '/v2/', query: 'none' } },
      { rule: 'prehash', path: { query: 'none' } },
      { rule: 'prehash', timestamp: 'ms', body: 'form', bodyHash: 'sha256' },
      { rule: 'prehash', template: '{query}', query: { sort: true } },
      { rule: 'prehash', template: '{path}{?query}', query: { sort: true } },
      { rule: 'query', prefix: '{timestamp}', timestamp: 'ms' },
      { rule: 'query', suffix: '|{timestamp}', timestamp: 's' },
    ];
    for (const payload of effective) expect(findIssues({ payload }), JSON.stringify(payload)).to.deep.equal([]);
  });

  it('rejects values of the rule that its template does not name', () => {
    const template = '{timestamp}{account.apiKey}{account.recvWindow}';
    expect(
      findIssues({ payload: { rule: 'prehash', template, values: { recvWindow: '1', recvwindow: '1' } } }),
    ).to.deep.equal(['payload.values.recvwindow is not used by any template of this rule; it uses apiKey, recvWindow']);
    expect(findIssues({ payload: { rule: 'prehash', values: { apiKey: 'k' } } })).to.deep.equal([
      'payload.values.apiKey is not used by any template of this rule; it uses no values',
    ]);
  });

  const TEMPLATE = '{timestamp}{body}';
  const prehash = (options: Part) => ({ payload: { rule: 'prehash', template: TEMPLATE, ...options } });
  const query = (options: Part) => ({ payload: { rule: 'query', ...options } });
  const wrap = (options: Part) => query({ typedData: { ...WRAP, ...options } });
  const typedData = (domain: unknown) => ({ payload: { rule: 'typed-data', domain } });
  const VALUE_NAME = 'contains an invalid name; a name has 1 to 32 letters, digits or _ and starts with a letter';
  const VALUE = 'must be 1 to 256 visible ASCII characters without spaces';
  const wrong: readonly (readonly [Part, string])[] = [
    [{ encoding: '0xhex' }, 'encoding must be one of base58, base64, base64url, base64url-padded, hex, 0x-hex'],
    [{ secretDecoding: 'ascii' }, 'secretDecoding must be one of utf8, hex, base64, base64url, base64-text'],
    [{ status: 'stopped' }, 'status must be one of active, disabled'],
    [{ verify: true }, 'verify must be an object'],
    [{ verify: {} }, 'verify.mac is required'],
    [{ verify: { mac: 'yes' } }, 'verify.mac must be boolean'],
    [{ verify: { mac: true, all: true } }, 'verify.all is an unknown field'],
    [
      { payload: { rule: 'hmac' } },
      'payload.rule must be one of jcs, json, raw, query, prehash, kraken, backpack, typed-data, hyperliquid-l1, concat-sorted, kraken-futures, starknet-typed-data, hyperliquid-multi-sig',
    ],
    [{ payload: { rule: 'json', field: '' } }, 'payload.field must name a field of data'],
    ...['raw', 'kraken', 'backpack', 'hyperliquid-l1', 'concat-sorted', 'kraken-futures', 'hyperliquid-multi-sig'].map(
      (rule) => [{ payload: { rule, field: 'x' } }, 'payload.field is an unknown field'] as const,
    ),
    [query({ sort: 'yes' }), 'payload.sort must be boolean'],
    [query({ encode: 'plus' }), 'payload.encode must be one of percent, none'],
    [query({ parameters: { apiKey: true } }), 'payload.parameters.apiKey must be one of required, excluded'],
    [query({ parameters: { '': 'required' } }), 'payload.parameters contains an invalid name'],
    [query({ parameters: ['apiKey'] }), 'payload.parameters must be an object'],
    [query({ prefix: '{nonce}' }), 'payload.prefix has an unknown placeholder'],
    [query({ suffix: '{timestamp' }), 'payload.suffix has an unmatched brace'],
    [query({ suffix: '{query}' }), 'payload.suffix must not contain {query}'],
    [query({ template: TEMPLATE }), 'payload.template is an unknown field'],
    [query({ typedData: {} }), 'payload.typedData.domain is required'],
    [wrap({ domain: {} }), 'payload.typedData.domain must have at least one member'],
    [wrap({ primaryType: 'uint256' }), 'payload.typedData.primaryType must not be a name reserved by EIP-712'],
    [wrap({ primaryType: 'EIP712Domain' }), 'payload.typedData.primaryType must not be a name reserved by EIP-712'],
    [wrap({ primaryType: '1st' }), 'payload.typedData.primaryType must be the name of a struct type'],
    [wrap({ member: 'a b' }), 'payload.typedData.member must be 1 to 64 letters'],
    [wrap({ types: {} }), 'payload.typedData.types is an unknown field'],
    [prehash({ template: 'constant' }), 'payload.template must contain at least one of the placeholders'],
    [prehash({ template: '{account.apiKey}' }), 'payload.template must contain at least one of the placeholders'],
    [prehash({ template: `{body}${'x'.repeat(1000)}` }), 'payload.template must have at most 1000 characters'],
    [prehash({ separator: '' }), 'payload.separator must have at least one character'],
    [prehash({ separator: '{body}' }), 'payload.separator must not contain braces'],
    [prehash({ separator: 'x'.repeat(17) }), 'payload.separator must have at most 16 characters'],
    [prehash({ separator: '\ud83d' }), 'payload.separator must be well-formed Unicode'],
    [prehash({ timestamp: 'us' }), 'payload.timestamp must be one of iso, ms, s'],
    [prehash({ query: { encode: 'none', field: 'x' } }), 'payload.query.field is an unknown field'],
    [prehash({ body: 'xml' }), 'payload.body must be one of json, json-or-form, form, form-sorted'],
    [prehash({ bodyHash: 'md5' }), 'payload.bodyHash must be one of none, sha256, sha512'],
    [prehash({ values: [] }), 'payload.values must be'],
    [prehash({ values: { 'api key': 'x' } }), `payload.values ${VALUE_NAME}`],
    [prehash({ values: { ['x'.repeat(33)]: 'x' } }), `payload.values ${VALUE_NAME}`],
    [prehash({ values: JSON.parse('{"__proto__": "x"}') }), `payload.values ${VALUE_NAME}`],
    [prehash({ values: { apiKey: '' } }), `payload.values.apiKey ${VALUE}`],
    [prehash({ values: { apiKey: 'two words' } }), `payload.values.apiKey ${VALUE}`],
    [prehash({ values: { apiKey: 'x'.repeat(257) } }), `payload.values.apiKey ${VALUE}`],
    [prehash({ values: { recvWindow: 5000 } }), 'payload.values.recvWindow must be a string'],
    [typedData({}), 'payload.domain must have at least one member'],
    [typedData({ name: '\ud83d' }), 'payload.domain.name must be well-formed Unicode'],
    [typedData({ chain: 1 }), 'payload.domain.chain is an unknown field'],
    [typedData({ chainId: -1 }), 'payload.domain.chainId must be an integer'],
    [typedData({ chainId: 1.5 }), 'payload.domain.chainId must be an integer'],
    [typedData({ chainId: '0x1' }), 'payload.domain.chainId must be an integer'],
    [typedData({ verifyingContract: '0x00' }), 'payload.domain.verifyingContract must be an address'],
    [typedData({ chainId: (2n ** 256n).toString() }), 'payload.domain.chainId must be an integer from 0 to 2^256 - 1'],
    [prehash({ path: {} }), 'payload.path must have at least one member'],
    [prehash({ path: '/v2/' }), 'payload.path must be an object'],
    [prehash({ path: { start: 'v2/' } }), 'payload.path.start must start with /, followed by letters'],
    [prehash({ path: { start: '/v2/?' } }), 'payload.path.start must start with /, followed by letters'],
    [prehash({ path: { start: `/${'a'.repeat(64)}` } }), 'payload.path.start must have at most 64 characters'],
    [prehash({ path: { query: 'all' } }), 'payload.path.query must be one of none'],
    [typedData({ salt: 'x' }), 'payload.domain.salt must be 32 bytes'],
    ...[-1, 1.5, '0xzz', '007', true, (2n ** 252n).toString()].map((chainId): readonly [Part, string] => [
      { payload: { rule: 'starknet-typed-data', domain: { chainId } } },
      'payload.domain.chainId must be an integer from 0 to 2^251 + 17*2^192, as a number',
    ]),
    [prehash({ template: 5, timestamp: 'ms' }), 'payload.template must be a string'],
    [{ payload: { rule: 'hyperliquid-l1', network: 'main' } }, 'payload.network must be one of mainnet, testnet'],
  ];
  for (const [change, issue] of wrong) {
    it(`reports: ${issue}`, () => {
      const found = findIssues(change);
      expect(
        found.some((text) => text.startsWith(issue)),
        found.join('\n'),
      ).to.equal(true);
    });
  }
});
