import { expect } from 'chai';
import type { HttpRequestToSend, MessageToSend } from '../../../src/client/client.ts';
import { data, ScriptedServer, SIGNED, text } from '../scripted-server.ts';
import type { ClientDriver } from './driver.ts';

const ORDER = { platformId: 'okx', accountId: 'main', data: { side: 'buy' } };
const SIGNATURE = {
  ...{ signature: 'x', algorithm: 'ed25519', encoding: 'base58', publicKey: 'y' },
  ...{ signedAt: '2026-11-20T08:49:01.000Z', payload: '1POST/orders{}' },
  payloadParts: {
    timestamp: '1',
    method: 'POST',
    path: '/orders',
    body: '{}',
    data: { nonce: '7' },
    values: { k: 'v' },
  },
};
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };

/** A request; `missing` is by default what values are given for. */
type Given = Partial<HttpRequestToSend> | Partial<MessageToSend>;

/** Contract of every client: requests that the service returns are completed and sent. */
export function itSendsRequests(getDriver: () => ClientDriver): void {
  const server = new ScriptedServer();
  let url: string;
  before(async () => {
    url = await server.listen();
  });
  after(() => server.close());

  /** What the venue receives. */
  async function received(request: Given, values: { readonly [name: string]: string }) {
    server.play(text(200, 'done', {}));
    const call = { call: 'sendRequest', request: { ...request, missing: Object.keys(values) }, values };
    expect(await getDriver().done(call)).to.deep.equal({ status: 200, body: 'done' });
    expect(server.seen).to.have.lengthOf(1);
    return server.seen[0] ?? expect.fail();
  }

  async function refused(request: Given, values: object, named: string) {
    server.play(text(200, 'done', {}));
    const call = { call: 'sendRequest', request: { missing: Object.keys(values), ...request }, values: { ...values } };
    const error = await getDriver().refused(call);
    expect(error.kind).to.equal('invalid');
    expect(error.message).to.include(named);
    expect(server.seen).to.have.lengthOf(0);
  }

  it('returns the request, alone or with the payload and its parts', async () => {
    const request = { method: 'POST', url: 'https://okx', headers: { A: '{key}' }, body: '{}', missing: ['key'] };
    await getDriver().open({ url });
    server.play(data({ ...SIGNATURE, request }));
    const signed = await getDriver().done({ call: 'sign', request: ORDER, options: { includeRequest: true } });
    expect(signed.request).to.deep.equal(request);
    expect(signed.payloadParts).to.deep.equal(SIGNATURE.payloadParts);

    const message = { message: '{"op":"login"}', missing: [] };
    const item = { ...SIGNATURE, requestId: '1', status: 'success', request: message };
    server.play(data({ results: [item], summary: { total: 1, successful: 1, failed: 0 } }));
    const both = { includePayload: true, includeRequest: true };
    const batch = { call: 'signBatch', requests: [{ requestId: '1', ...ORDER }], options: both };
    expect((await getDriver().done(batch)).results[0].request).to.deep.equal(message);
    expect(decodeURIComponent(server.seen[0]?.target ?? '')).to.equal('/api/v1/sign/batch?include=payload,request');
  });

  it('rejects a response without the request, and one without its members', async () => {
    await getDriver().open({ url });
    for (const step of [
      SIGNED,
      data({ ...SIGNATURE, request: { message: 1, missing: [] } }),
      data({ ...SIGNATURE, request: {} }),
    ]) {
      server.play(step);
      const error = await getDriver().refused({ call: 'sign', request: ORDER, options: { includeRequest: true } });
      expect(error.kind).to.equal('protocol');
    }
  });

  it('sends method, URL, headers and body byte for byte', async () => {
    const target = '/v1/a%2Fb?text=a+b%20c@d:e~f,%C3%A9';
    const body = '{"é":"{unknown}",  "n":1.0}';
    const seen = await received(
      { method: 'POST', url: `${url}${target}`, headers: { ...JSON_BODY, 'X-Sign': 'a/+=' }, body },
      {},
    );
    expect([seen.method, seen.target, seen.body]).to.deep.equal(['POST', target, body]);
    expect(seen.headers).to.include({ 'content-type': 'application/json', 'x-sign': 'a/+=' });
    const query = await received({ method: 'DELETE', url: `${url}/orders`, headers: {} }, {});
    expect([query.method, query.target, query.body]).to.deep.equal(['DELETE', '/orders', '']);
    expect(query.headers['content-type']).to.equal(undefined);
  });

  it('fills in values as their place requires, once', async () => {
    const values = { key: 'a"b/c \\{pass}é', pass: "it's+(*)" };
    const asForm = await received(
      {
        method: 'PUT',
        url: `${url}/{key}?p={pass}`,
        headers: { ...FORM, 'X-Pass': 'is {pass}' },
        body: 'k={key}&p={pass}',
      },
      values,
    );
    const [key, pass] = ['a%22b%2Fc%20%5C%7Bpass%7D%C3%A9', 'it%27s%2B%28%2A%29'];
    expect([asForm.target, asForm.headers['x-pass']]).to.deep.equal([`/${key}?p=${pass}`, `is ${values.pass}`]);
    expect(asForm.body).to.equal(`k=${key}&p=${pass}`);
    const asJson = await received(
      { method: 'POST', url: `${url}/`, headers: JSON_BODY, body: '{"owner":"{key}","n":"{pass}"}' },
      values,
    );
    expect(JSON.parse(asJson.body)).to.deep.equal({ owner: values.key, n: values.pass });
    const message = { message: '{"args":["{key}","{other}"]}', missing: ['key'] };
    const filled = await getDriver().done({ call: 'fillMessage', request: message, values: { key: values.key } });
    expect(JSON.parse(filled)).to.deep.equal({ args: [values.key, '{other}'] });
  });

  it('takes an origin and a whole body as they are', async () => {
    const values = { node: `${url}/v1`, body: '{"side": "buy"}' };
    const seen = await received({ method: 'POST', url: '{node}/orders', headers: JSON_BODY, body: '{body}' }, values);
    expect([seen.target, seen.body]).to.deep.equal(['/v1/orders', values.body]);
  });

  it('refuses a missing value, a needless one, an invalid header, URL or message, and sends nothing', async () => {
    const request = { method: 'GET', url, headers: { 'X-Key': '{key}' } };
    await refused({ ...request, missing: ['key', 'passphrase'] }, { key: 'x' }, 'passphrase');
    await refused({ ...request, missing: ['key'] }, { key: 'x', passphrase: 'x' }, 'passphrase');
    for (const key of ['a\r\nX-Other: b', 'a\nb', 'a\u0000', 'é']) await refused(request, { key }, 'X-Key');
    for (const wrong of ['/#a', '/a b', '/é'])
      await refused({ ...request, url: `${url}${wrong}`, headers: {} }, {}, 'URL');
    await refused({ ...request, url: url.replace('//', '//venue@'), headers: {} }, {}, 'URL');
    await refused({ message: '{}' }, {}, 'WebSocket');
  });

  it("returns the venue's refusals and redirects, and does not follow them", async () => {
    for (const [status, headers] of [
      [400, {}],
      [302, { Location: `${url}/elsewhere` }],
      [307, { Location: `${url}/elsewhere` }],
    ] as const) {
      server.play(text(status, 'no', headers));
      const request = { method: 'POST', url: `${url}/orders`, headers: JSON_BODY, body: '{}', missing: [] };
      expect(await getDriver().done({ call: 'sendRequest', request })).to.deep.equal({ status, body: 'no' });
      expect(server.seen).to.have.lengthOf(1);
    }
  });
}
