import { expect } from 'chai';
import request from 'supertest';
import { loggable } from '../../../src/adapters/observability/winston-service-log.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { type RunningService, type ServiceParts, startService } from '../../harness/running-service.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';

/** In every text and name that a caller can choose. */
const TEXT = 'canary-7c1f';
const NUMBER = 7391628540123;
const TIME = '2017-03-29T07:39:16.285Z';
const CANARIES = [TEXT, String(NUMBER), TIME];

const EXTRA = {
  [TEXT]: TEXT,
  [`${TEXT}-object`]: { [TEXT]: [TEXT, NUMBER, { [TEXT]: TEXT }] },
  note: TEXT,
  more: NUMBER,
};
const ORDER_A = { type: TEXT, market: TEXT, side: TEXT, amount: TEXT, price: TEXT, ...EXTRA };
const ORDER_B = { action: TEXT, symbol: TEXT, price: TEXT, quantity: TEXT, timestamp: NUMBER, ...EXTRA };
const ORDER_C = { symbol: TEXT, side: TEXT, type: TEXT, quantity: TEXT, price: TEXT, timestamp: NUMBER };
const ORDER_D = { instId: TEXT, side: TEXT, ordType: TEXT, sz: TEXT, px: TEXT, ...EXTRA };
const TARGET = `/${TEXT}?${TEXT}=${TEXT}`;

/** Data of the harness's platforms with canaries in every chosen value. */
const SIGNED: readonly (readonly [platformId: string, accountId: string, data: JsonObject])[] = [
  ['alpha', 'main', { instruction: ORDER_A, nonce: NUMBER, ...EXTRA }],
  ['alpha', 'main', { ...ORDER_A, nonce: NUMBER }],
  ['beta', 'main', { message: ORDER_B, ...EXTRA }],
  ['beta', 'main', { message: TEXT }],
  ['gamma', 'main', { method: 'POST', endpoint: TARGET, params: ORDER_C, ...EXTRA }],
  ['delta', 'main', { method: 'POST', path: TARGET, timestamp: TIME, body: ORDER_D, ...EXTRA }],
  ['delta', 'main', { method: 'POST', path: TARGET, timestamp: TIME, body: JSON.stringify([TEXT]) }],
  ['verbatim', 'rfc8032-0', { text: TEXT }],
  ['verbatim', 'eip191-0', { text: `${TEXT} ${NUMBER}` }],
];

/** Refused requests, with their code. */
const REFUSED: readonly (readonly [code: string, platformId: string, accountId: string, data: JsonObject])[] = [
  ['PLATFORM_NOT_SUPPORTED', TEXT, 'main', { ...ORDER_A }],
  ['ACCOUNT_NOT_FOUND', 'alpha', TEXT, { ...ORDER_A }],
  ['ACCOUNT_INACTIVE', 'alpha', 'idle', { ...ORDER_A }],
  ['INVALID_DATA_FORMAT', 'alpha', 'main', EXTRA],
  ['INVALID_DATA_FORMAT', 'alpha', 'main', { instruction: { ...ORDER_A, side: NUMBER }, nonce: TEXT }],
  ['INVALID_DATA_FORMAT', 'beta', 'main', { message: { ...ORDER_B, timestamp: TEXT } }],
  ['INVALID_DATA_FORMAT', 'gamma', 'main', { method: TEXT, endpoint: TEXT, params: EXTRA }],
  ['INVALID_DATA_FORMAT', 'gamma', 'main', { method: 'POST', endpoint: TARGET, params: { ...ORDER_C, [TEXT]: EXTRA } }],
  ['INVALID_DATA_FORMAT', 'delta', 'main', { method: TEXT, path: TEXT, timestamp: TEXT, body: EXTRA }],
  ['INVALID_DATA_FORMAT', 'verbatim', 'rfc8032-0', { hex: TEXT }],
  ['INVALID_DATA_FORMAT', 'verbatim', 'rfc8032-0', { base64: TEXT, [TEXT]: TEXT }],
  ['INVALID_DATA_FORMAT', 'alpha', 'main', { ...ORDER_A, [TEXT]: `${TEXT}\ud800` }],
];

describe('The service log has no data of signing requests', () => {
  let service: RunningService;

  async function start(parts: ServiceParts = {}): Promise<void> {
    service = await startService(parts);
  }
  afterEach(() => service.close());

  const post = (path: string, body: object | string) =>
    request(service.server).post(`/api/v1${path}`).set('Content-Type', 'application/json').send(body);

  async function codeOf(path: string, body: object | string): Promise<string> {
    const { status, body: response } = await post(path, body);
    return status === 200 ? 'signed' : response.error.code;
  }

  /** The whole log, once so many requests are logged. */
  async function logged(requests: number): Promise<string> {
    const lines = () => service.log.events.filter(({ facts }) => 'route' in facts);
    while (lines().length < requests) await new Promise((resolve) => setTimeout(resolve, 2));
    return service.log.events.map(({ message, facts }) => `${message} ${JSON.stringify(loggable(facts))}`).join('\n');
  }

  async function expectNothingLogged(requests: number): Promise<void> {
    const text = await logged(requests);
    for (const canary of CANARIES) expect(text).not.to.include(canary);
  }

  it('if they are signed, also on a platform whose audit records show some of it in clear', async () => {
    await start();
    const clear = ['text', 'note', 'price', 'message.price', 'instruction.amount', 'params.price', 'body.px', 'path'];
    const platforms = SAMPLE_PLATFORMS.map((platform) => ({ ...platform, audit: { clear } }));
    service.credentials.contain({ platforms, accounts: SAMPLE_ACCOUNTS });
    expect((await post('/config/reload', {})).status).to.equal(200);
    for (const [platformId, accountId, data] of SIGNED) {
      expect(await codeOf('/sign?include=payload', { platformId, accountId, data })).to.equal('signed');
    }
    expect(JSON.stringify(service.records.entries)).to.include(`"amount":"${TEXT}"`);
    await expectNothingLogged(SIGNED.length + 1);
  });

  it('if they are refused, with any fields', async () => {
    await start();
    for (const [code, platformId, accountId, data] of REFUSED) {
      expect(await codeOf('/sign', { platformId, accountId, data }), JSON.stringify(data)).to.equal(code);
    }
    await expectNothingLogged(REFUSED.length);
  });

  it('if they are malformed', async () => {
    await start();
    const text = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: ORDER_A });
    const bodies = [
      text.slice(0, -1),
      text.replace('"data"', `"${TEXT}":1,"data"`),
      text.replace('"data"', `"data":{"${TEXT}":"${TEXT}"},"data"`),
      text.replace('"type"', `"${TEXT}":1,"${TEXT}":"${TEXT}","type"`),
      text.replace('"type"', `"__proto__":{"${TEXT}":"${TEXT}"},"type"`),
      text.replace('{"type"', `["${TEXT}"],{"type"`),
      JSON.stringify({ platformId: TEXT, accountId: NUMBER, data: TEXT }),
      JSON.stringify([TEXT]),
      JSON.stringify(TEXT),
      `{"data":{"${TEXT}":${'['.repeat(5000)}"${TEXT}"`,
    ];
    for (const body of bodies) expect(await codeOf('/sign', body), body.slice(0, 80)).not.to.equal('signed');
    await expectNothingLogged(bodies.length);
  });

  it('if they come in a batch', async () => {
    await start();
    const items = [
      ...SIGNED.map(([platformId, accountId, data]) => ({ platformId, accountId, data })),
      ...REFUSED.map(([, platformId, accountId, data]) => ({ platformId, accountId, data })),
    ];
    const requests = items.map((item, index) => ({ requestId: `${TEXT}-${index}`, ...item }));
    const { body } = await post('/sign/batch?include=payload', { requests });
    expect(body.data.summary).to.deep.include({ successful: SIGNED.length, failed: REFUSED.length });
    await post('/sign/batch', { requests: [{ requestId: TEXT, data: ORDER_A }, TEXT] });
    await expectNothingLogged(2);
  });

  it('if signing fails, which is logged with its cause', async () => {
    await start();
    service.keyStore.purge();
    for (const [platformId, accountId, data] of SIGNED) {
      expect(await codeOf('/sign', { platformId, accountId, data })).to.equal('SIGNATURE_FAILED');
    }
    const items = SIGNED.map(([platformId, accountId, data]) => ({ platformId, accountId, data }));
    const requests = items.map((item, index) => ({ requestId: `${TEXT}-${index}`, ...item }));
    await post('/sign/batch', { requests });
    expect(await logged(SIGNED.length + 1))
      .to.include('Signing request failed.')
      .and.include('Batch items failed.');
    await expectNothingLogged(SIGNED.length + 1);
  });

  it('if they cannot be recorded, which is logged with its cause', async () => {
    await start({ adapters: { sink: new FailingAuditSink() } });
    for (const [platformId, accountId, data] of SIGNED) {
      expect(await codeOf('/sign', { platformId, accountId, data })).not.to.equal('signed');
    }
    for (const [, platformId, accountId, data] of REFUSED) await codeOf('/sign', { platformId, accountId, data });
    await codeOf('/sign', JSON.stringify({ [TEXT]: TEXT }));
    expect(await logged(1)).to.include('"cause"');
    await expectNothingLogged(SIGNED.length + REFUSED.length + 1);
  });
});
