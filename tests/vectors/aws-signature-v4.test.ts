import { expect } from 'chai';
import { formatAwsTime, signAwsRequest } from '../../src/adapters/credentials/wrapping-keys/aws-signature.ts';
import suite from './aws-signature-v4.json' with { type: 'json' };

describe('AWS Signature Version 4 vectors', () => {
  const { accessKeyId, time, region, service } = suite;

  for (const { id, method, headers, body, authorization } of suite.vectors) {
    it(`gives the published Authorization of ${id}`, () => {
      const credentials = { accessKeyId, secretAccessKey: Buffer.from(suite.secretAccessKey), sessionToken: null };
      const request = {
        method: method === 'GET' ? 'GET' : 'POST',
        path: '/',
        headers: headers.map(([name = '', value = '']) => [name, Buffer.from(value)] as const),
        body: Buffer.from(body),
      } as const;
      expect(signAwsRequest(request, { time, region, service }, credentials)).to.equal(authorization);
    });
  }

  it("writes their time as the suite's date", () => {
    expect(formatAwsTime(new Date('2015-08-30T12:36:00.987Z'))).to.equal(time);
  });
});
