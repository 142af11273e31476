import { expect } from 'chai';
import { type MadeRequest, makeRequests } from '../../../../scripts/bench/request-texts.ts';
import { accountName } from '../../../../scripts/load/account-names.ts';
import { dataOf } from '../../../../scripts/load/load-process.ts';

const KIND = { algorithm: 'eip191', accounts: 100, batch: null, different: 120 } as const;

function bodyOf({ bytes }: MadeRequest) {
  const [head = '', body = ''] = bytes.toString().split('\r\n\r\n');
  expect(head).to.include(`Content-Length: ${Buffer.byteLength(body)}`);
  return JSON.parse(body);
}

describe("The bench's requests", () => {
  it('ask for the signature that they say, each for another one', () => {
    const requests = makeRequests(KIND);
    expect(requests).to.have.lengthOf(120);
    for (const request of requests) {
      const [wish] = request.wishes;
      if (wish === undefined) throw new Error('There is no wish.');
      const { platformId, accountId } = accountName(wish.account);
      expect(bodyOf(request)).to.deep.equal({ platformId, accountId, data: dataOf(wish) });
      expect(request.bytes.toString()).to.match(/^POST \/api\/v1\/sign HTTP\/1\.1\r\n/);
    }
    expect(new Set(requests.map(({ bytes }) => bytes.toString())).size).to.equal(120);
  });

  it('are for every account of the algorithm, and for none twice before each had its turn', () => {
    const accounts = makeRequests(KIND).map(({ wishes }) => wishes[0]?.account ?? Number.NaN);
    const all = Array.from({ length: 50 }, (_, index) => 2 * index + 1);
    expect(accounts.slice(0, 50).toSorted((left, right) => left - right)).to.deep.equal(all);
    expect(accounts.slice(50, 100).toSorted((left, right) => left - right)).to.deep.equal(all);
    expect(accounts.slice(0, 50)).to.not.deep.equal(all);
  });

  it('of batches name each item by its call', () => {
    const [request] = makeRequests({ ...KIND, batch: 7, different: 1 });
    if (request === undefined) throw new Error('There is no request.');
    const { requests } = bodyOf(request);
    expect(requests.map((item: { requestId: string }) => item.requestId)).to.deep.equal(
      request.wishes.map(({ call }) => String(call)),
    );
    expect(new Set(request.wishes.map(({ call }) => call)).size).to.equal(7);
    expect(request.bytes.toString()).to.match(/^POST \/api\/v1\/sign\/batch HTTP\/1\.1\r\n/);
  });

  it('can not be made where no account signs with the algorithm', () => {
    expect(() => makeRequests({ ...KIND, accounts: 1 })).to.throw(RangeError, 'eip191');
  });
});
