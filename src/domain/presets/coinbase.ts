import type { JwtRule, TokenClaims } from '../model/payload-rule.ts';
import type { PresetExample, VenuePreset } from './venue-preset.ts';

const DOCS = 'https://docs.cdp.coinbase.com/coinbase-app/authentication-authorization/api-key-authentication';
const WEBSOCKET_DOCS =
  'https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/websocket/websocket-authentication';
const SDK =
  'https://github.com/coinbase/coinbase-advanced-py/blob/54fb8ed3cd32b49760cbe88d116aad9a13068ef2/coinbase/jwt_generator.py';

/** As the venue's SDK writes them. */
const SESSION: TokenClaims = {
  sub: '{account.keyName}',
  iss: 'cdp',
  nbf: { time: 's' },
  exp: { time: 's', expiresIn: 120 },
};

const HEADER = { kid: '{account.keyName}', nonce: '{data.nonce}' };

const WEBSOCKET: JwtRule = { rule: 'jwt', header: HEADER, claims: SESSION };
const REST: JwtRule = {
  rule: 'jwt',
  header: HEADER,
  claims: { ...SESSION, uri: '{METHOD} api.coinbase.com{path}' },
};

const NOTES = [
  'The signature is the whole token. Send it as Authorization: Bearer TOKEN; it is valid for 120 seconds from the timestamp, and for one method and path.',
  'timestamp is the current time in seconds, nonce a new random text for each token, such as 32 hex digits.',
  'The path has no query and no host: Coinbase does not sign the query or the body. Callers can therefore choose both freely for a signed path.',
];

const WEBSOCKET_NOTES = [
  'The token of messages to the WebSocket server, in their field jwt; each message needs a new one.',
  'It names no request: do not allow it to callers that only need REST.',
];

const VALUES = { keyName: 'the name of the API key, organizations/…/apiKeys/…' };

const SDK_VALUES = { keyName: 'organizations/test-organization/apiKeys/test-api-key' };

const WEBSOCKET_DATA = { timestamp: 1700000000, nonce: '5d1c0f7e8a9b4c3d2e1f0a9b8c7d6e5f' };

/** The keys of tests/constants.py in the venue's SDK. */
const SDK_ES256_KEY = {
  pem: '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIKwf3Uox30cRWzRBOPoPOH5p0Gpb0Dt8zUKXUEM5fMkGoAoGCCqGSM49\nAwEHoUQDQgAEbAtpLlSZYVOwYICz+uEyxcS29vRIujiES/gQ1DC7FV4zK4JuYE9v\nqDyGZQYjdXHLM7I6f/QnnOITL+dXYWBHRA==\n-----END EC PRIVATE KEY-----\n',
};
const SDK_ED25519_KEY = { hex: '9340549e2d29d2f646d417695634baa20049ee4c66eb7d0027674dfadba9bad0' };

const WEBSOCKET_ES256: PresetExample = {
  source: SDK,
  isComputed: true,
  key: SDK_ES256_KEY,
  values: SDK_VALUES,
  data: WEBSOCKET_DATA,
  payload:
    'eyJhbGciOiJFUzI1NiIsImtpZCI6Im9yZ2FuaXphdGlvbnMvdGVzdC1vcmdhbml6YXRpb24vYXBpS2V5cy90ZXN0LWFwaS1rZXkiLCJub25jZSI6IjVkMWMwZjdlOGE5YjRjM2QyZTFmMGE5YjhjN2Q2ZTVmIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL3Rlc3Qtb3JnYW5pemF0aW9uL2FwaUtleXMvdGVzdC1hcGkta2V5IiwiaXNzIjoiY2RwIiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDAxMjB9',
  signature:
    'eyJhbGciOiJFUzI1NiIsImtpZCI6Im9yZ2FuaXphdGlvbnMvdGVzdC1vcmdhbml6YXRpb24vYXBpS2V5cy90ZXN0LWFwaS1rZXkiLCJub25jZSI6IjVkMWMwZjdlOGE5YjRjM2QyZTFmMGE5YjhjN2Q2ZTVmIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL3Rlc3Qtb3JnYW5pemF0aW9uL2FwaUtleXMvdGVzdC1hcGkta2V5IiwiaXNzIjoiY2RwIiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDAxMjB9._eFArwOIPdLSLZagwYYjgFtT8GjQ6mvKXsIf8ZoSEBBosnqxij3pyn97UtPEaF-15gnCr1sFrRbjY7-VzJUG9A',
};

const WEBSOCKET_ED25519: PresetExample = {
  source: SDK,
  isComputed: true,
  key: SDK_ED25519_KEY,
  values: SDK_VALUES,
  data: WEBSOCKET_DATA,
  payload:
    'eyJhbGciOiJFZERTQSIsImtpZCI6Im9yZ2FuaXphdGlvbnMvdGVzdC1vcmdhbml6YXRpb24vYXBpS2V5cy90ZXN0LWFwaS1rZXkiLCJub25jZSI6IjVkMWMwZjdlOGE5YjRjM2QyZTFmMGE5YjhjN2Q2ZTVmIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL3Rlc3Qtb3JnYW5pemF0aW9uL2FwaUtleXMvdGVzdC1hcGkta2V5IiwiaXNzIjoiY2RwIiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDAxMjB9',
  signature:
    'eyJhbGciOiJFZERTQSIsImtpZCI6Im9yZ2FuaXphdGlvbnMvdGVzdC1vcmdhbml6YXRpb24vYXBpS2V5cy90ZXN0LWFwaS1rZXkiLCJub25jZSI6IjVkMWMwZjdlOGE5YjRjM2QyZTFmMGE5YjhjN2Q2ZTVmIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL3Rlc3Qtb3JnYW5pemF0aW9uL2FwaUtleXMvdGVzdC1hcGkta2V5IiwiaXNzIjoiY2RwIiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDAxMjB9.bA_6saWWRlUVff3L6DYYcy1VIA3tvDS62UC1aoxF6i0RtIzSb2rGk8pkBeEH5M4wdrmao-nb5RbVVu-Da4rWCA',
};

/** Coinbase Advanced Trade, ECDSA keys. */
export const COINBASE: VenuePreset = {
  name: 'coinbase',
  venue: 'Coinbase Advanced Trade REST, ECDSA keys',
  docs: DOCS,
  platform: {
    format: 'any',
    payload: REST,
    rules: { websocket: WEBSOCKET },
    algorithms: ['es256'],
    encoding: 'base64url',
  },
  rules: {
    websocket: {
      venue: 'Coinbase Advanced Trade WebSocket, ECDSA keys',
      docs: WEBSOCKET_DOCS,
      notes: WEBSOCKET_NOTES,
      example: WEBSOCKET_ES256,
    },
  },
  keyFile: 'the private key as PEM (BEGIN EC PRIVATE KEY), with line breaks in place of the \\n of the JSON file',
  values: VALUES,
  notes: NOTES,
  example: {
    source:
      'https://github.com/ziyangliu-666/FastMM/blob/916ed0aaf85dc444d9d6e4f79fa1bc435e306033/tests/net/crypto_test.cpp',
    key: {
      pem: '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49\nAwEHoUQDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8\nmaQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==\n-----END EC PRIVATE KEY-----\n',
    },
    values: { keyName: 'organizations/o/apiKeys/k' },
    data: {
      method: 'GET',
      path: '/api/v3/brokerage/accounts',
      timestamp: 1790000000,
      nonce: '00112233445566778899aabbccddeeff',
    },
    payload:
      'eyJhbGciOiJFUzI1NiIsImtpZCI6Im9yZ2FuaXphdGlvbnMvby9hcGlLZXlzL2siLCJub25jZSI6IjAwMTEyMjMzNDQ1NTY2Nzc4ODk5YWFiYmNjZGRlZWZmIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL28vYXBpS2V5cy9rIiwiaXNzIjoiY2RwIiwibmJmIjoxNzkwMDAwMDAwLCJleHAiOjE3OTAwMDAxMjAsInVyaSI6IkdFVCBhcGkuY29pbmJhc2UuY29tL2FwaS92My9icm9rZXJhZ2UvYWNjb3VudHMifQ',
    signature:
      'eyJhbGciOiJFUzI1NiIsImtpZCI6Im9yZ2FuaXphdGlvbnMvby9hcGlLZXlzL2siLCJub25jZSI6IjAwMTEyMjMzNDQ1NTY2Nzc4ODk5YWFiYmNjZGRlZWZmIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL28vYXBpS2V5cy9rIiwiaXNzIjoiY2RwIiwibmJmIjoxNzkwMDAwMDAwLCJleHAiOjE3OTAwMDAxMjAsInVyaSI6IkdFVCBhcGkuY29pbmJhc2UuY29tL2FwaS92My9icm9rZXJhZ2UvYWNjb3VudHMifQ.QQvhyJgPTEnf_PyddxmFW4QBTlEhXDwfKfIsjYog_EqTNUqeAg7qcDeW7MaSEpfLvBKrwBeztt42OoZ0fDge7Q',
  },
};

/** {@link COINBASE} with Ed25519 keys. */
export const COINBASE_ED25519: VenuePreset = {
  name: 'coinbase-ed25519',
  venue: 'Coinbase Advanced Trade REST, Ed25519 keys',
  docs: DOCS,
  platform: {
    format: 'any',
    payload: REST,
    rules: { websocket: WEBSOCKET },
    algorithms: ['ed25519'],
    encoding: 'base64url',
  },
  rules: {
    websocket: {
      venue: 'Coinbase Advanced Trade WebSocket, Ed25519 keys',
      docs: WEBSOCKET_DOCS,
      notes: WEBSOCKET_NOTES,
      example: WEBSOCKET_ED25519,
    },
  },
  keyFile: 'the private key as Coinbase shows it: base64 of 64 bytes, seed and public key',
  keyFormat: 'base64',
  values: VALUES,
  notes: [
    "Coinbase's documentation asks for ECDSA keys with its own SDKs of the Coinbase App; its Python SDK for Advanced Trade also accepts Ed25519 keys. Test one request before you rely on it.",
    ...NOTES,
  ],
  example: {
    source: SDK,
    isComputed: true,
    key: SDK_ED25519_KEY,
    values: SDK_VALUES,
    data: {
      method: 'GET',
      path: '/api/v3/brokerage/accounts',
      timestamp: 1700000000,
      nonce: 'b3f1e0c4a1d84f2e9c5a7b6d8e0f1a2b',
    },
    payload:
      'eyJhbGciOiJFZERTQSIsImtpZCI6Im9yZ2FuaXphdGlvbnMvdGVzdC1vcmdhbml6YXRpb24vYXBpS2V5cy90ZXN0LWFwaS1rZXkiLCJub25jZSI6ImIzZjFlMGM0YTFkODRmMmU5YzVhN2I2ZDhlMGYxYTJiIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL3Rlc3Qtb3JnYW5pemF0aW9uL2FwaUtleXMvdGVzdC1hcGkta2V5IiwiaXNzIjoiY2RwIiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDAxMjAsInVyaSI6IkdFVCBhcGkuY29pbmJhc2UuY29tL2FwaS92My9icm9rZXJhZ2UvYWNjb3VudHMifQ',
    signature:
      'eyJhbGciOiJFZERTQSIsImtpZCI6Im9yZ2FuaXphdGlvbnMvdGVzdC1vcmdhbml6YXRpb24vYXBpS2V5cy90ZXN0LWFwaS1rZXkiLCJub25jZSI6ImIzZjFlMGM0YTFkODRmMmU5YzVhN2I2ZDhlMGYxYTJiIiwidHlwIjoiSldUIn0.eyJzdWIiOiJvcmdhbml6YXRpb25zL3Rlc3Qtb3JnYW5pemF0aW9uL2FwaUtleXMvdGVzdC1hcGkta2V5IiwiaXNzIjoiY2RwIiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDAxMjAsInVyaSI6IkdFVCBhcGkuY29pbmJhc2UuY29tL2FwaS92My9icm9rZXJhZ2UvYWNjb3VudHMifQ.A581pS2K7HFnujDhV1qhSJOAXvk22QLGoVnzPFw_tHr4NzTkVGJrKfs3WlI2fqj4hKuVchU2uFqoTDPJWZjTBA',
  },
};
