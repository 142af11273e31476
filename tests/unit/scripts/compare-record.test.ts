import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { compareRecord } from '../../../scripts/sdk-parity/compare-record.ts';
import { EXPECTED_DIFFERENCES } from '../../../scripts/sdk-parity/expected-differences.ts';
import { SDK_KEYS, type SdkRecord } from '../../../scripts/sdk-parity/sdk-record.ts';

/** A request that a client of OKX would send, which signs this text. */
function sentToOkx(signedQuery: string, sentQuery: string): SdkRecord {
  const timestamp = '2023-11-14T22:13:20.000Z';
  const text = `${timestamp}GET/api/v5/trade/order?${signedQuery}`;
  const headers = {
    'ok-access-timestamp': timestamp,
    'ok-access-sign': createHmac('sha256', SDK_KEYS.secret).update(text).digest('base64'),
  };
  const request = { method: 'GET', url: `https://www.okx.com/api/v5/trade/order?${sentQuery}`, headers, body: '' };
  return { preset: 'okx', kind: 'query', source: 'a client', request, signed: [Buffer.from(text).toString('hex')] };
}

describe('Comparison of presets with clients', () => {
  it('finds the same text and signature', () => {
    const { result, data } = compareRecord(sentToOkx('instId=A%2FB&ordId=1', 'instId=A%2FB&ordId=1'));
    expect(result).to.equal('same');
    expect(data).to.deep.include({ query: { instId: 'A/B', ordId: '1' } });
  });

  it('finds a text that only a caller who sends text can sign', () => {
    expect(compareRecord(sentToOkx('instId=A/B', 'instId=A/B')).result).to.equal('same as text');
  });

  it('finds a client that encodes after signing', () => {
    const { result, details } = compareRecord(sentToOkx('instId=币', 'instId=%E5%B8%81'));
    expect(result).to.equal('differs');
    expect(details.join()).to.include('instId=币').and.include('instId=%E5%B8%81');
  });

  it('finds another signature of the same text, and a wrong one', () => {
    const { request, ...record } = sentToOkx('ordId=1', 'ordId=1');
    const other = { ...request, headers: { ...request?.headers, 'ok-access-sign': 'AAAA' } } as SdkRecord['request'];
    expect(compareRecord({ ...record, ...(other && { request: other }) }).result).to.equal('same text');
    expect(compareRecord({ ...record, ...(other && { request: other }), signed: [] }).result).to.equal('differs');
  });

  it('counts a client that signed nothing as a difference', () => {
    const record = { preset: 'okx', kind: 'query', source: 'a client', problem: 'it failed' };
    expect(compareRecord(record)).to.deep.equal({ result: 'not recorded', details: ['it failed'] });
  });

  it('explains each expected difference once', () => {
    const names = EXPECTED_DIFFERENCES.flatMap(({ source, preset, rule, kinds }) =>
      kinds.map((kind) => `${source} ${preset} ${rule} ${kind}`),
    );
    expect(names).to.deep.equal([...new Set(names)]);
  });
});
