import { expect } from 'chai';
import request from 'supertest';
import { listVenues } from '../../src/adapters/venues/venue-files.ts';
import type { VenuePreset } from '../../src/adapters/venues/venue-schema.ts';
import type { RequestToSend } from '../../src/client/client.ts';
import { fillRequest, sendRequest } from '../../src/client/send-request.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { findRule, findSend, type Platform } from '../../src/domain/model/platform.ts';
import { getSignedMembers } from '../../src/domain/payload/unsigned-fields.ts';
import { sampleCredential } from '../doubles/credential-builder.ts';
import { expectData, expectError } from '../harness/envelope-checks.ts';
import { type RunningService, startService } from '../harness/running-service.ts';
import { accountsOf, keyBytes } from '../harness/venue-vectors.ts';
import { readProjectFile } from '../project-root.ts';

interface Signed {
  readonly signature: string;
  readonly algorithm: string;
  readonly payload: string;
  readonly payloadEncoding?: BufferEncoding;
  readonly payloadParts: JsonObject;
  readonly request: RequestToSend;
}

/** Of vectors that were published without what the venue does not sign. */
const LABELS = { method: 'POST', path: '/v1/order' };

function toPlatform({ name, platform }: VenuePreset): Platform {
  return { platformId: name, ...platform };
}

describe('Files of venues, through HTTP', () => {
  const presets = listVenues().flatMap((venue) => venue.presets.map((preset) => ({ id: venue.id, preset })));
  let service: RunningService;

  before(async () => {
    service = await startService();
    service.credentials.contain({
      platforms: presets.map(({ preset }) => toPlatform(preset)),
      accounts: presets.flatMap(({ preset: { name: platformId, platform, ...preset } }) =>
        accountsOf(preset).map(({ accountId, key, values = {} }) => {
          const [algorithm] = platform.algorithms;
          const privateKey = keyBytes(key, platform.secretDecoding);
          return sampleCredential({ platformId, accountId, values, privateKey, ...(algorithm && { algorithm }) });
        }),
      ),
    });
    expectData(await request(service.server).post('/api/v1/config/reload'));
  });
  after(() => service.close());

  const sign = (include: string, call: object) =>
    request(service.server).post(`/api/v1/sign?include=${include}`).send(call);

  for (const { id, preset } of presets) {
    const { name: platformId, requests = {} } = preset;
    const vectors = accountsOf(preset).flatMap(({ accountId, own }) => own.map((vector) => ({ accountId, ...vector })));

    it(`${platformId}: gives text, parts and signature of each vector`, async () => {
      for (const { id, accountId, rule, data, ...published } of vectors) {
        const signed = expectData<Signed>(await sign('payload', { platformId, accountId, rule, data }));
        const { signature, payload, payloadEncoding } = signed;
        expect(signed.algorithm, id).to.equal(published.algorithm);
        // Nonces of ES256 are random.
        if (published.algorithm !== 'es256') expect(signature, id).to.equal(published.signature);
        else expect(signature, id).to.match(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
        expect(Buffer.from(payload, payloadEncoding).toString('hex'), id).to.equal(
          published.payloadHex ?? Buffer.from(published.payload ?? '').toString('hex'),
        );
        if (published.payload !== undefined) expect(payloadEncoding, id).to.equal(undefined);
        expect(signed.payloadParts, id).to.deep.include(published.parts ?? {});
      }
    });

    it(`${platformId}: writes requests by each rule, which are valid with what the caller fills in`, async () => {
      const platform = toPlatform(preset);
      const page = readProjectFile(`docs/callers/venues/${id}.md`);
      const shown = Object.values(requests).map((one) => ({ accountId: 'account-0', ...one }));
      const written = new Set<string | undefined>();
      for (const { accountId, rule: name, data } of [...shown, ...vectors]) {
        const rule = findRule(platform, name) ?? expect.fail(name);
        const isShown = shown.some((one) => one.data === data);
        const labelled = isShown || getSignedMembers(rule) === null ? data : { ...LABELS, ...data };
        const response = await sign('request', { platformId, accountId, rule: name, data: labelled });
        const send = findSend(platform, rule);
        // Signatures that no request takes, such as those of multi-sig users.
        if (send === undefined || (!isShown && response.status !== 200)) {
          expectError(response, 400, 'INVALID_DATA_FORMAT');
          continue;
        }
        const { request: toSend, signature } = expectData<Signed>(response);
        expect(contains(JSON.stringify(toSend), signature), JSON.stringify(toSend)).to.equal(true);
        for (const one of toSend.missing) {
          // Or a member of data that vectors lack, since the venue does not sign it.
          const isMember = !isShown && JSON.stringify(send).includes(`{data.${one}}`);
          if (!isMember) expect(page).to.match(new RegExp(`\`(?:--value )?${one}[\`=]`));
        }
        if ('url' in toSend && 'origins' in send) {
          const origins = send.origins.map((one) => one.replace(/\{data\.(\w+)\}/, (_, member) => `${data[member]}`));
          expect(origins.some((origin) => toSend.url.startsWith(origin))).to.equal(true);
        }
        await expectValid(toSend);
        written.add(name);
      }
      const names = [undefined, ...Object.keys(platform.rules ?? {})];
      const sent = names.filter((name) => findSend(platform, findRule(platform, name) ?? expect.fail()) !== undefined);
      expect([...written]).to.have.members(sent);
    });
  }
});

/** The signature as it is, percent-encoded, as its r (of r‖s), or among bytes in base64. */
function contains(text: string, signature: string): boolean {
  if (text.includes(signature) || text.includes(encodeURIComponent(signature))) return true;
  const r = /^0x[0-9a-f]{64}/.exec(signature)?.[0];
  if (r !== undefined) return text.includes(`0x${BigInt(r).toString(16)}`) || text.includes(String(BigInt(r)));
  const encoded = text.match(/[A-Za-z0-9+/]{88,}=*/g) ?? [];
  return encoded.some((base64) => Buffer.from(base64, 'base64').includes(Buffer.from(signature, 'base64')));
}

/** Completes the request as a caller does, by the client; Fetch takes it, and JSON is valid. */
async function expectValid(toSend: RequestToSend): Promise<void> {
  const [text, url] = 'message' in toSend ? [toSend.message, ''] : [toSend.body, toSend.url];
  const values = Object.fromEntries(
    toSend.missing.map((name) => {
      if (url.startsWith(`{${name}}`)) return [name, 'https://node.example.com'];
      return [name, text === `{${name}}` ? '{"a":1}' : 'a "b"&c'];
    }),
  );
  const filled = fillRequest(toSend, values);
  if ('message' in filled) {
    expect(JSON.parse(filled.message)).to.be.an('object');
    return;
  }
  if (filled.headers['Content-Type'] === 'application/json') JSON.parse(filled.body ?? 'null');
  let isSent = false;
  const fetch = async (...given: ConstructorParameters<typeof Request>) => {
    isSent = new Request(...given).url === filled.url;
    return new Response();
  };
  await sendRequest(toSend, values, { fetch });
  expect(isSent, filled.url).to.equal(true);
}
