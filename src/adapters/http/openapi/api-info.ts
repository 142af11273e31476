/**
 * Of the API: the major version is in the path, the minor grows with additions (docs/API.md,
 * Compatibility).
 */
const API_VERSION = '1.0.0';

/** `info` of the document. */
export const INFO = {
  title: 'Signing service',
  version: API_VERSION,
  summary: 'Signatures for accounts on many platforms; the keys never leave.',
  description:
    'An internal HTTP service that holds the keys of accounts on outside platforms and returns signatures.\n\nEvery answer in JSON has one of two shapes: `{"success": true, "data": …}` or `{"success": false, "error": {"code", "message", "details"}}`. Go by `code`; `message` is for people. Paths match exactly. Where there is `GET` there is `HEAD`.\n\nFields may be added to answers, and values to lists under `x-extensible-enum`: ignore what you do not know. Requests are closed: unknown fields, and unknown or repeated query parameters, are rejected.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Groups of endpoints. */
export const TAGS = [
  { name: 'Signing', description: 'Signatures, one or many, and whether one is right.' },
  { name: 'Accounts', description: 'What is known of accounts. Never their secrets.' },
  { name: 'Operations', description: 'For operators.' },
  { name: 'Health', description: 'For load balancers and orchestrators.' },
  { name: 'Documentation', description: 'What you are reading.' },
];

/** Authentication schemes. */
export const SECURITY_SCHEMES = {
  clientCertificate: {
    type: 'mutualTLS',
    description: 'With `SIGNING_TLS_CLIENT_CA_FILE`: a client certificate of one of its authorities.',
  },
  signingRequestAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'Signing-Request-Auth',
    description:
      'With `SIGNING_AUTH`: base64 of a `RequestAuthInfo` (protocol buffers), signed for this request alone. The answer has `Signing-Response-Auth`.',
  },
};

/** By default callers need neither scheme; a service may require one or both. */
export const SECURITY = [
  {},
  { clientCertificate: [] },
  { signingRequestAuth: [] },
  { clientCertificate: [], signingRequestAuth: [] },
];
