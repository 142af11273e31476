import { expect } from 'chai';
import request from 'supertest';
import { expectData } from '../api/envelope-checks.ts';
import { type RunningService, startService } from '../api/harness.ts';
import { DATA_A } from '../api/sample-accounts.ts';
import { AnswerChecker } from './answer-checker.ts';
import { takeFaults } from './check-answers.ts';

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

describe('The check of answers by the OpenAPI document', () => {
  let service: RunningService | undefined;

  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  async function signedWith(result: object): Promise<readonly string[]> {
    const payload = { bytes: Buffer.alloc(0), text: '', encoding: 'utf8' };
    const sign = async () => ({ ok: true, value: { ...SIGNATURE, payload, ...result } });
    service = await startService({ replace: () => ({ signing: { sign } as never }) });
    expectData(await request(service.server).post('/api/v1/sign').send(SIGN));
    return takeFaults();
  }

  it('finds nothing where answers are as documented', async () => {
    expect(await signedWith({})).to.deep.equal([]);
  });

  it('finds a value of another type, of whichever client it was asked', async () => {
    expect(await signedWith({ signature: 5 })).to.have.lengthOf(1);
    const [fault] = await signedWith({ signedAt: 'yesterday' });
    expect(fault).to.match(/^POST \/api\/v1\/sign, 200: \/data\/signedAt /);
  });

  it('finds a value that is not on a list', async () => {
    expect((await signedWith({ algorithm: 'rsa' })).join()).to.include('/data/algorithm');
  });

  describe('as a function', () => {
    const checker = new AnswerChecker();
    const answer = (status: number, json: object, more: object = {}) => ({
      ...{ method: 'POST', target: '/api/v1/sign', status, body: JSON.stringify(json) },
      headers: NAMED,
      ...more,
    });
    const refusal = (code: string, details: object) => ({ success: false, error: { code, message: 'No.', details } });

    it('takes what is documented', () => {
      expect(checker.faultsOf(answer(200, { success: true, data: SIGNATURE }))).to.deep.equal([]);
      expect(checker.faultsOf(answer(400, refusal('PLATFORM_NOT_SUPPORTED', { platformId: 'x' })))).to.deep.equal([]);
      expect(checker.faultsOf(answer(404, refusal('NOT_FOUND', {}), { target: '/nothing?x=1' }))).to.deep.equal([]);
    });

    it('takes an error of any endpoint where the request is not known, and no other', () => {
      expect(checker.errorFaultsOf(431, refusal('HEADERS_TOO_LARGE', {}))).to.deep.equal([]);
      expect(checker.errorFaultsOf(405, refusal('METHOD_NOT_ALLOWED', { allowed: ['GET'] }))).to.deep.equal([]);
      expect(checker.errorFaultsOf(431, refusal('HEADERS_TOO_LARGE', { bytes: 1 }))).to.have.lengthOf(1);
      expect(checker.errorFaultsOf(400, refusal('HEADERS_TOO_LARGE', {}))).to.have.lengthOf(1);
      expect(checker.errorFaultsOf(418, refusal('HEADERS_TOO_LARGE', {}))).to.have.lengthOf(1);
    });

    const wrong: readonly (readonly [name: string, given: Parameters<AnswerChecker['faultsOf']>[0]])[] = [
      ['an answer without its name', answer(200, { success: true, data: SIGNATURE }, { headers: UNNAMED })],
      ['an unknown status', answer(418, refusal('INTERNAL_ERROR', {}))],
      ['a status of other endpoints', answer(200, { success: true, data: {} }, { method: 'GET' })],
      ['an unknown field of the answer', answer(200, { success: true, data: { ...SIGNATURE, extra: 1 } })],
      ['an unknown field of the envelope', answer(200, { success: true, data: SIGNATURE, meta: {} })],
      ['a missing field', answer(200, { success: true, data: { ...SIGNATURE, publicKey: undefined } })],
      ['an unknown code', answer(400, refusal('OTHER', {}))],
      ['a code of another status', answer(400, refusal('ACCOUNT_NOT_FOUND', { platformId: 'a', accountId: 'b' }))],
      ['a code of other endpoints', answer(500, refusal('CONFIG_LOAD_FAILED', { path: 'a', issues: [] }))],
      ['an unknown detail', answer(423, refusal('ACCOUNT_INACTIVE', { platformId: 'a', accountId: 'b', key: 'c' }))],
      ['a missing header', answer(503, refusal('OVERLOADED', { retryAfterSeconds: 1 }))],
      [
        'another content type',
        answer(200, { success: true, data: SIGNATURE }, { headers: { ...NAMED, 'content-type': 'text/html' } }),
      ],
      [
        'an answer at a path that is none',
        answer(200, { success: true, data: SIGNATURE }, { target: '/api/v1/sign/' }),
      ],
    ];
    for (const [name, given] of wrong) {
      it(`refuses ${name}`, () => {
        expect(checker.faultsOf(given)).not.to.deep.equal([]);
      });
    }
  });
});
