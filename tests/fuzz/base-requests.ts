import { issueToken, signRequest, TestKey } from '../authentication/parties.ts';
import { SIGNING_PROOFS } from '../e2e/signing-proofs.ts';
import { DATA_A, DATA_A_FLAT, DATA_B, DATA_C, DATA_D } from '../harness/sample-accounts.ts';

/** A platform with one account, `main`, and valid data. */
export interface FuzzedPlatform {
  readonly platformId: string;
  readonly options: readonly string[];
  readonly algorithm: string;
  readonly data: readonly object[];
}

/** Covers every format, payload rule and algorithm. */
export const FUZZED_PLATFORMS: readonly FuzzedPlatform[] = [
  { platformId: 'form-a', options: ['--format', 'A'], algorithm: 'ed25519', data: [DATA_A, DATA_A_FLAT] },
  { platformId: 'form-b', options: ['--format', 'B'], algorithm: 'eip191', data: [DATA_B, { message: 'sign in' }] },
  { platformId: 'form-c', options: ['--format', 'C', '--verify-mac'], algorithm: 'hmac-sha256', data: [DATA_C] },
  { platformId: 'form-d', options: ['--format', 'D'], algorithm: 'ed25519', data: [DATA_D] },
  {
    platformId: 'texts',
    options: ['--format', 'any', '--rule', 'raw'],
    algorithm: 'ed25519',
    data: [{ text: 'a text' }, { hex: '00ff' }, { base64: 'AP8=' }],
  },
  {
    platformId: 'objects',
    options: ['--format', 'any', '--rule', 'json'],
    algorithm: 'eip191',
    data: [{ b: [1, { a: 'x' }], a: null }],
  },
  {
    platformId: 'typed',
    options: ['--format', 'any', '--rule', 'typed-data'],
    algorithm: 'eip712',
    data: [SIGNING_PROOFS.eip712.dataOf('fuzz')],
  },
  {
    platformId: 'actions',
    options: ['--format', 'any', '--rule', 'hyperliquid-l1'],
    algorithm: 'hyperliquid-l1',
    data: [
      SIGNING_PROOFS['hyperliquid-l1'].dataOf('noop'),
      { action: { type: 'noop' }, nonce: 1, multiSigUser: `0x${'1a'.repeat(20)}`, outerSigner: `0x${'2b'.repeat(20)}` },
    ],
  },
  {
    platformId: 'envelopes',
    options: ['--format', 'any', '--rule', 'hyperliquid-multi-sig'],
    algorithm: 'eip712',
    data: [
      {
        action: {
          type: 'multiSig',
          signatureChainId: '0x66eee',
          signatures: [{ r: '0x1', s: '0x2', v: 27 }],
          payload: {
            multiSigUser: `0x${'1a'.repeat(20)}`,
            outerSigner: `0x${'2b'.repeat(20)}`,
            action: { type: 'noop' },
          },
        },
        nonce: 1,
      },
    ],
  },
  {
    platformId: 'felts',
    options: ['--format', 'any', '--rule', 'starknet-typed-data'],
    algorithm: 'starknet',
    data: [SIGNING_PROOFS.starknet.dataOf('order')],
  },
  {
    platformId: 'kraken',
    options: ['--format', 'any', '--rule', 'kraken'],
    algorithm: 'hmac-sha512',
    data: [{ path: '/0/private/AddOrder', body: { nonce: '1616492376594', pair: 'XBTUSD', price: 37500 } }],
  },
  {
    platformId: 'backpack',
    options: ['--format', 'any', '--rule', 'backpack'],
    algorithm: 'ed25519',
    data: [{ instruction: 'orderCancel', params: { orderId: 28 }, timestamp: 1614550000000, window: 5000 }],
  },
];

/** The account of each platform. */
export const FUZZED_ACCOUNT = 'main';

/** Fixed keys of mutual authentication, so that a seed gives the same bytes. */
export const AUTHORITY = new TestKey(0xa1);
export const SERVICE = new TestKey(0x5e);
const CLIENT = new TestKey(0xc1);

function issue(username: string, { publicKey }: TestKey): Buffer {
  return issueToken(AUTHORITY, { username, publicKey, expirationTime: '2100-01-01T00:00:00Z' });
}

export const SERVICE_TOKEN = issue('signing-service', SERVICE);

/** A correctly signed RequestAuthInfo of 1970: every check before that of the time passes. */
export const OLD_REQUEST_AUTH = signRequest(
  CLIENT,
  { token: issue('fuzz', CLIENT), servicePublicKey: SERVICE.publicKey, time: 1, nonce: Buffer.alloc(16, 1) },
  { method: 'GET', target: '/api/v1/status', body: '' },
).toString('base64');

/** A request with response 200. */
export interface BaseRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  readonly body: object | null;
}

const API = '/api/v1';

const GETS: readonly BaseRequest[] = [
  get('accounts', `${API}/accounts`, 'platform=form-a'),
  get('accounts', `${API}/accounts`, 'limit=10'),
  get('account', `${API}/accounts/form-a/main`, ''),
  get('status', `${API}/status`, ''),
  get('health', '/healthz', ''),
];

const RELOAD: BaseRequest = { name: 'reload', method: 'POST', path: `${API}/config/reload`, query: '', body: null };

const VERIFY_REQUESTS = FUZZED_PLATFORMS.flatMap(({ platformId, data }) =>
  data.map((one) => ({ platformId, accountId: FUZZED_ACCOUNT, data: one })),
);

const SIGNS: readonly BaseRequest[] = VERIFY_REQUESTS.map((body) => ({
  name: 'sign',
  method: 'POST',
  path: `${API}/sign`,
  query: 'include=payload',
  body,
}));

const BATCH: BaseRequest = {
  name: 'batch',
  method: 'POST',
  path: `${API}/sign/batch`,
  query: '',
  body: { requests: VERIFY_REQUESTS.map((spec, index) => ({ requestId: `r${index}`, ...spec })) },
};

const VERIFIES: readonly BaseRequest[] = VERIFY_REQUESTS.map((spec) => ({
  name: 'verify',
  method: 'POST',
  path: `${API}/verify`,
  query: '',
  body: { ...spec, signature: 'abc' },
}));

/** Whether the operators' listener serves it. */
export function isOperatorRequest({ name }: BaseRequest): boolean {
  return name === 'status' || name === 'reload';
}

/** Every endpoint; those that sign for every platform, HMAC verification where allowed. */
export const BASE_REQUESTS: readonly BaseRequest[] = [
  ...SIGNS,
  ...VERIFIES.filter(({ body }) => !JSON.stringify(body).includes('"kraken"')),
  BATCH,
  ...GETS,
  RELOAD,
];

function get(name: string, path: string, query: string): BaseRequest {
  return { name, method: 'GET', path, query, body: null };
}
