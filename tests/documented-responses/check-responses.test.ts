import { expect } from 'chai';
import request from 'supertest';
import { expectData } from '../harness/envelope-checks.ts';
import { type RunningService, startService } from '../harness/running-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { takeIssues } from './check-responses.ts';
import { ResponseChecker } from './response-checker.ts';

const SIGN = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const SIGNATURE = {
  signature: '3yZe7d',
  algorithm: 'ed25519',
  encoding: 'base58',
  publicKey: 'FVen3X',
  signedAt: '2026-11-20T08:49:00.000Z',
};

const UNNAMED = { 'content-type': 'application/json; charset=utf-8' };
const NAMED = { ...UNNAMED, 'x-request-id': 'a', 'x-correlation-id': 'a' };

describe('The check of responses against the OpenAPI document', () => {
  const services: RunningService[] = [];

  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.close()));
  });

  async function signedWith(result: object): Promise<readonly string[]> {
    const payload = { bytes: Buffer.alloc(0), text: '', encoding: 'utf8' };
    const sign = async () => ({ ok: true, value: { ...SIGNATURE, payload, ...result } });
    const service = await startService({ replace: () => ({ signing: { sign } as never }) });
    services.push(service);
    expectData(await request(service.server).post('/api/v1/sign').send(SIGN));
    return takeIssues();
  }

  it('accepts documented responses', async () => {
    expect(await signedWith({})).to.deep.equal([]);
  });

  it('rejects a value of another type or format', async () => {
    expect(await signedWith({ signature: 5 })).to.have.lengthOf(1);
    const [issue] = await signedWith({ signedAt: 'yesterday' });
    expect(issue).to.match(/^POST \/api\/v1\/sign, 200: \/data\/signedAt /);
  });

  it('rejects a value outside an enum', async () => {
    expect((await signedWith({ algorithm: 'rsa' })).join()).to.include('/data/algorithm');
  });

  describe('as a function', () => {
    const checker = new ResponseChecker();
    const response = (status: number, json: object, more: object = {}) => ({
      ...{ method: 'POST', target: '/api/v1/sign', status, body: JSON.stringify(json) },
      headers: NAMED,
      ...more,
    });
    const refusal = (code: string, details: object) => ({ success: false, error: { code, message: 'No.', details } });

    it('accepts documented responses and errors', () => {
      expect(checker.findIssues(response(200, { success: true, data: SIGNATURE }))).to.deep.equal([]);
      expect(checker.findIssues(response(400, refusal('PLATFORM_NOT_SUPPORTED', { platformId: 'x' })))).to.deep.equal(
        [],
      );
      expect(checker.findIssues(response(404, refusal('NOT_FOUND', {}), { target: '/nothing?x=1' }))).to.deep.equal([]);
    });

    it('accepts an error of any endpoint for an unknown request, and no other', () => {
      expect(checker.findErrorIssues(431, refusal('HEADERS_TOO_LARGE', {}))).to.deep.equal([]);
      expect(checker.findErrorIssues(405, refusal('METHOD_NOT_ALLOWED', { allowed: ['GET'] }))).to.deep.equal([]);
      expect(checker.findErrorIssues(431, refusal('HEADERS_TOO_LARGE', { bytes: 1 }))).to.have.lengthOf(1);
      expect(checker.findErrorIssues(400, refusal('HEADERS_TOO_LARGE', {}))).to.have.lengthOf(1);
      expect(checker.findErrorIssues(418, refusal('HEADERS_TOO_LARGE', {}))).to.have.lengthOf(1);
    });

    const wrong: readonly (readonly [name: string, given: Parameters<ResponseChecker['findIssues']>[0]])[] = [
      ['a response without its id', response(200, { success: true, data: SIGNATURE }, { headers: UNNAMED })],
      ['an unknown status', response(418, refusal('INTERNAL_ERROR', {}))],
      ['a status of other endpoints', response(200, { success: true, data: {} }, { method: 'GET' })],
      ['an unknown field of the response', response(200, { success: true, data: { ...SIGNATURE, extra: 1 } })],
      ['an unknown field of the envelope', response(200, { success: true, data: SIGNATURE, meta: {} })],
      ['a missing field', response(200, { success: true, data: { ...SIGNATURE, publicKey: undefined } })],
      ['an unknown code', response(400, refusal('OTHER', {}))],
      ['a code of another status', response(400, refusal('ACCOUNT_NOT_FOUND', { platformId: 'a', accountId: 'b' }))],
      ['a code of other endpoints', response(500, refusal('CONFIG_LOAD_FAILED', { path: 'a', issues: [] }))],
      ['an unknown detail', response(423, refusal('ACCOUNT_INACTIVE', { platformId: 'a', accountId: 'b', key: 'c' }))],
      ['a missing header', response(503, refusal('OVERLOADED', { retryAfterSeconds: 1 }))],
      [
        'another content type',
        response(200, { success: true, data: SIGNATURE }, { headers: { ...NAMED, 'content-type': 'text/html' } }),
      ],
      ['a response at an unknown path', response(200, { success: true, data: SIGNATURE }, { target: '/api/v1/sign/' })],
    ];
    for (const [name, given] of wrong) {
      it(`rejects ${name}`, () => {
        expect(checker.findIssues(given)).not.to.deep.equal([]);
      });
    }
  });
});
