import fc from 'fast-check';
import { ODD_TEXTS } from './hostile-json.ts';

const API = '/api/v1';

const ODD_SEGMENTS: readonly string[] = [
  ...ODD_TEXTS.map((text) => encodeURIComponent(text.slice(0, 4000))),
  ...[
    '..',
    '.',
    '%2e%2e',
    '%2e%2e%2f',
    '%2f',
    '%5c',
    '%00',
    'main%00',
    '%0d%0aX-Injected:%201',
    '%c0%af',
    '%c0%ae%c0%ae',
  ],
  ...['%e0%80%af', '%ff', '%', '%zz', '%u0041', '%ed%a0%80', 'a;b', 'a=b', '~', '*', '$&', '\\..\\..', ':platformId'],
];

const segment = fc.constantFrom(...ODD_SEGMENTS);

/** Request targets (RFC 9112 §3.2) that are not those of the API, mostly. */
export const oddTarget: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(segment, segment).map(([platform, account]) => `${API}/accounts/${platform}/${account}`),
  segment.map((account) => `${API}/accounts/form-a/${account}`),
  segment.map((path) => `/${path}`),
  segment.map((path) => `${API}/${path}`),
  segment.map((text) => `${API}/accounts?platform=${text}`),
  segment.map((text) => `${API}/accounts?limit=${text}&cursor=${text}`),
  fc.constantFrom(
    ...['*', '/', '//', '///api/v1/status', '/api/v1/status/', '/API/v1/status', '/api/v1//status', '/./api/v1/status'],
    ...['/api/v1/../v1/status', '/api/v1/accounts/../../../etc/passwd', '/api/v1/status%20', '/api/v1/status;x=1'],
    ...['/api/v1/%73tatus', '/api/v1/status#x', '/api/v1/status?', 'http://elsewhere/api/v1/status', 'https://a:b@c/'],
    ...['elsewhere:443', '?', '#', '/healthz/../readyz', '/healthz?x', '/readyz%00', '/favicon.ico', '/.git/config'],
    ...[
      '/api/v1/accounts?__proto__[x]=1',
      '/api/v1/accounts?constructor.prototype.x=1',
      '/api/v1/accounts?limit=1&limit=2',
    ],
    ...[
      '/api/v1/accounts?limit[]=1',
      '/api/v1/accounts?limit=1e3',
      '/api/v1/accounts?cursor=AAAA',
      '/api/v1/sign?include=a',
    ],
    `/${'a/'.repeat(4000)}`,
    `${API}/accounts?${'a=1&'.repeat(3000)}`,
  ),
);
