import { expect } from 'chai';
import fc from 'fast-check';
import { signRequest } from '../authentication/parties.ts';
import { CLIENT, clientClaims, exchange, startAuthenticatedService } from '../harness/authenticated-service.ts';
import type { RunningService } from '../harness/running-service.ts';

const REQUEST = { method: 'GET', target: '/api/v1/status', body: '' };

describe('Signing-Request-Auth', () => {
  let service: RunningService;
  before(async () => {
    service = await startAuthenticatedService();
  });
  after(() => service.close());

  const refuses = async (header: string) => {
    const { status, json } = await exchange(service, { ...REQUEST, header });
    expect(status).to.equal(401);
    expect(json.error.code).to.equal('UNAUTHENTICATED');
    return json.error.details.reason as string;
  };

  it('is refused for any text', () =>
    fc.assert(
      // fetch sends visible Latin-1, with spaces inside.
      fc.asyncProperty(
        fc.stringMatching(/^[\x21-\x7e\xa1-\xff][\x20-\x7e\xa1-\xff]{0,200}[\x21-\x7e\xa1-\xff]$/),
        async (text) => {
          expect(await refuses(text)).to.equal('MALFORMED');
        },
      ),
      { numRuns: 20 },
    ));

  it('is refused for the base64 of any bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 600 }), async (bytes) => {
        await refuses(Buffer.from(bytes).toString('base64'));
      }),
      { numRuns: 20 },
    ));

  it('is refused with any byte changed, removed or added', () => {
    const message = signRequest(CLIENT, clientClaims(service.clock.now()), REQUEST);
    return fc.assert(
      fc.asyncProperty(fc.nat(message.length - 1), fc.nat(255), fc.nat(2), async (at, byte, kind) => {
        fc.pre(kind !== 0 || message.readUInt8(at) !== byte);
        const rest = message.subarray(kind === 2 ? at : at + 1);
        const added = kind === 1 ? [] : [byte];
        await refuses(Buffer.concat([message.subarray(0, at), Buffer.from(added), rest]).toString('base64'));
      }),
      { numRuns: 60 },
    );
  });

  it('logs only requests, and still accepts a valid header', async () => {
    expect(service.log.events.filter(({ level }) => level !== 'info')).to.deep.equal([]);
    expect((await exchange(service, REQUEST)).issue).to.equal(null);
  });
});
