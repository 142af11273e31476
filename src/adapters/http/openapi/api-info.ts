/**
 * Version of the API: the major version is in the path, the minor version grows with additions
 * (docs/callers/api.md, Compatibility).
 */
const API_VERSION = '1.0.0';

/** `info` of the document. */
export const INFO = {
  title: 'Signing service',
  version: API_VERSION,
  summary: 'Signs requests for accounts on many platforms. The keys never leave the service.',
  description:
    'An internal HTTP service that holds the keys of accounts on external platforms and returns signatures.\n\nEvery JSON response has one of two forms: `{"success": true, "data": …}` or `{"success": false, "error": {"code", "message", "details"}}`. Handle errors by `code`; `message` is human-readable. Paths match exactly. Every `GET` endpoint also accepts `HEAD`.\n\nResponses may get new fields, and lists marked `x-extensible-enum` new values: ignore unknown ones. Requests are strict: unknown fields, and unknown or repeated query parameters, are rejected.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Groups of endpoints. */
export const TAGS = [
  { name: 'Signing', description: 'Sign and verify.' },
  { name: 'Accounts', description: 'Account data, never secrets.' },
  { name: 'Operations', description: 'For operators.' },
  { name: 'Health', description: 'For load balancers and orchestrators.' },
  { name: 'Documentation', description: 'This documentation.' },
];

/** Authentication schemes. */
export const SECURITY_SCHEMES = {
  clientCertificate: {
    type: 'mutualTLS',
    description:
      'With `SIGNING_TLS_CLIENT_CA_FILE`: a client certificate issued by one of its certificate authorities.',
  },
  signingRequestAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'Signing-Request-Auth',
    description:
      'With `SIGNING_AUTH`: a `RequestAuthInfo` (protocol buffers) in base64, signed for this request only. The response has `Signing-Response-Auth`.',
  },
};

/** By default callers need neither scheme; a service may require one or both. */
export const SECURITY = [
  {},
  { clientCertificate: [] },
  { signingRequestAuth: [] },
  { clientCertificate: [], signingRequestAuth: [] },
];
