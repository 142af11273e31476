import { type KnownRule, RULES } from '../../src/domain/payload/payload-rules.ts';

const DOMAIN = {
  name: 'Test',
  version: '1',
  chainId: 1,
  verifyingContract: '0x0000000000000000000000000000000000000000',
};

/**
 * Configurations of every payload rule and its options; `{account.apiKey}` is their fixed value.
 */
export const RULE_CONFIGURATIONS: { readonly [name: string]: KnownRule } = {
  ...Object.fromEntries(
    RULES.map(({ schema }) => [schema.shape.rule.value, schema.parse({ rule: schema.shape.rule.value })]),
  ),
  'jcs of a field': { rule: 'jcs', field: 'body' },
  'json of a field': { rule: 'json', field: 'params' },
  'json in base64': { rule: 'json', field: 'body', encode: 'base64' },
  'jwt like Coinbase': {
    rule: 'jwt',
    header: { kid: '{account.apiKey}', nonce: '{data.nonce}' },
    claims: {
      iss: 'cdp',
      nbf: { time: 's' },
      exp: { time: 's', expiresIn: 120 },
      uri: '{METHOD} host.example{path}',
      aud: ['one', '{data.nonce}'],
    },
  },
  'jwt like Upbit': {
    rule: 'jwt',
    claims: { access_key: '{account.apiKey}', nonce: '{data.nonce}', timestamp: { time: 'ms' } },
    queryHash: { encode: 'none' },
  },
  'query sorted': { rule: 'query', field: 'params', sort: true },
  'query as it is': { rule: 'query', field: 'body', encode: 'none' },
  'query sorted, as it is': { rule: 'query', field: 'params', sort: true, encode: 'none' },
  'query between templates': {
    rule: 'query',
    field: 'params',
    prefix: '{METHOD}\nhost.example\n{path}\n',
    suffix: '&{data.nonce}&{account.apiKey}{body}{timestamp}',
  },
  'query as typed data': {
    rule: 'query',
    field: 'params',
    suffix: '&nonce={data.nonce}',
    typedData: { domain: DOMAIN, primaryType: 'Message', member: 'msg' },
  },
  'prehash like Gate': {
    rule: 'prehash',
    template: '{METHOD}{path}{query}{body}{timestamp}',
    separator: '\n',
    timestamp: 's',
    query: { encode: 'none' },
    bodyHash: 'sha512',
  },
  'prehash like Bitfinex': {
    rule: 'prehash',
    template: '/api{path}{data.nonce}{body}',
    path: { start: '/a', query: 'none' },
  },
  'prehash like BitMEX': { rule: 'prehash', template: '{METHOD}{path}{?query}{data.nonce}{body}', body: 'form' },
  'prehash like Bybit': {
    rule: 'prehash',
    template: '{timestamp}{account.apiKey}{account.recvWindow}{query}{body}',
    timestamp: 'ms',
    query: { sort: true },
    body: 'form-sorted',
    values: { recvWindow: '5000' },
  },
  'prehash like ApeX': {
    rule: 'prehash',
    template: '{timestamp}{METHOD}{path}{?query}{body}',
    timestamp: 'ms',
    query: { encode: 'none' },
    body: 'form-sorted-unencoded',
  },
  'prehash of one line': {
    rule: 'prehash',
    template: 'v1:{timestamp}.{method}.{body}',
    timestamp: 'iso',
    bodyHash: 'sha256',
  },
  'typed-data with a domain': { rule: 'typed-data', domain: DOMAIN },
  'hyperliquid-l1 testnet': { rule: 'hyperliquid-l1', network: 'testnet' },
  'hyperliquid-multi-sig testnet': { rule: 'hyperliquid-multi-sig', network: 'testnet' },
};
