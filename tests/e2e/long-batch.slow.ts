import { expect } from 'chai';
import type { ServiceProcess } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

/** Some two hundred hashes, so that a batch takes long. */
const LONG_DATA = {
  domain: { name: 'x' },
  types: { M: [{ name: 'a', type: 'E[]' }], E: [] },
  primaryType: 'M',
  message: { a: Array.from({ length: 200 }, () => ({})) },
};

describe('A long-running batch', () => {
  const place = useWorkplace([
    'platform add --platform typed --format any --rule typed-data',
    'platform add --platform plain --format any',
    'account add --platform typed --account main',
    'account add --platform plain --account main --algorithm ed25519',
  ]);
  let service: ServiceProcess;

  before(async function () {
    this.timeout(60_000);
    service = await place.start();
  });

  it('blocks neither other requests nor a reload, which stops it by disabling the account', async function () {
    this.timeout(60_000);
    const requests = Array.from({ length: 150 }, (_, index) => ({
      requestId: `r-${index}`,
      platformId: 'typed',
      accountId: 'main',
      data: LONG_DATA,
    }));
    const ended: string[] = [];
    const batch = service.post('/sign/batch', { requests }).then(({ body }) => {
      ended.push('batch');
      const results = body.data['results'] as unknown as readonly { status: string; error?: { code: string } }[];
      const signed = results.filter(({ status }) => status === 'success').length;
      expect(body.data['summary']).to.deep.equal({ total: 150, successful: signed, failed: 150 - signed });
      expect(signed).to.be.lessThan(150);
      expect(new Set(results.slice(signed).map(({ error }) => error?.code))).to.deep.equal(
        new Set(['ACCOUNT_INACTIVE']),
      );
    });
    const single = async (name: string) => {
      const { status } = await service.post('/sign', { platformId: 'plain', accountId: 'main', data: { name } });
      expect(status).to.equal(200);
      ended.push(name);
    };
    await single('one');
    await place.prepare('account', 'disable', '--platform', 'typed', '--account', 'main');
    await service.post('/config/reload', {});
    ended.push('reload');
    await batch;
    expect(ended).to.deep.equal(['one', 'reload', 'batch']);
  });
});
