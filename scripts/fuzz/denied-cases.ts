import fc from 'fast-check';
import { BASE_REQUESTS, isOfOperators } from './base-requests.ts';
import type { Certificate } from './client-certificates.ts';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { LIMITED_ACCOUNT } from './fuzz-permissions.ts';
import { postBytes } from './http-text.ts';
import { rawCases } from './raw-cases.ts';
import { requestCases, validRequest } from './request-cases.ts';

const STRANGERS = ['none', 'foreign', 'misused', 'limited'] as const;

const REFUSALS: { readonly [Name in Certificate]?: string } = {
  none: '"CLIENT_CERTIFICATE_REQUIRED"',
  foreign: '"CLIENT_CERTIFICATE_UNTRUSTED"',
  misused: '"CLIENT_CERTIFICATE_UNTRUSTED"',
  limited: '"PERMISSION_DENIED"',
};

function told(certificate: Certificate): string {
  return certificate === 'none' ? 'no certificate' : `${certificate} certificate`;
}

const stranger = fc.constantFrom(...STRANGERS);
const SERVED = BASE_REQUESTS.filter(({ name }) => name !== 'health');
const asked = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...SERVED.filter((one) => !isOfOperators(one))) },
  { weight: 1, arbitrary: fc.constantFrom(...SERVED.filter(isOfOperators)) },
);

/** Everything that others send, from a caller who may do none of it. */
const hostile: fc.Arbitrary<FuzzCase> = fc
  .tuple(stranger, fc.boolean(), fc.oneof(requestCases, rawCases))
  .map(([certificate, isAdmin, one]) => ({
    ...one,
    ...{ kind: `callers: ${told(certificate)}, hostile`, way: 'https', certificate, isAdmin, isDenied: true },
    texts: [],
  }));

/** Valid requests are refused for who sends them. */
const valid: fc.Arbitrary<FuzzCase> = fc.tuple(stranger, asked).map(([certificate, request]) => ({
  ...validRequest(request),
  ...{ kind: `callers: ${told(certificate)}`, way: 'https', certificate, isDenied: true },
  isAdmin: isOfOperators(request),
  texts: [REFUSALS[certificate] ?? null],
}));

/** What one may do goes on. */
const allowed: fc.Arbitrary<FuzzCase> = fc.constant(
  fuzzCase({
    ...{ kind: 'callers: limited certificate, its account', way: 'https', certificate: 'limited' },
    writes: [postBytes('/api/v1/sign', { ...LIMITED_ACCOUNT, data: { text: 'limited' } })],
    ...{ ending: 'answers', least: 1, texts: ['"success":true'] },
  }),
);

/** Each listener has the paths of its own, whoever asks. */
const misplaced: fc.Arbitrary<FuzzCase> = asked.map((request) => ({
  ...validRequest(request),
  ...{ kind: 'callers: at the other listener', way: 'https' },
  isAdmin: !isOfOperators(request),
  texts: ['"NOT_FOUND"'],
}));

/** Callers over HTTPS with a certificate or without, and what they may not do. */
export const deniedCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 4, arbitrary: hostile },
  { weight: 3, arbitrary: valid },
  { weight: 1, arbitrary: allowed },
  { weight: 2, arbitrary: misplaced },
);
