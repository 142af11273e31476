import { expect } from 'chai';
import type { Issue } from '../../../src/domain/model/errors.ts';
import { expectData, expectError, expectIssues, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { exchange, postBytes } from '../../harness/raw-client.ts';
import { DATA_A, DATA_C } from '../../harness/sample-accounts.ts';
import { useService } from '../../harness/use-service.ts';

const A_TEXT = JSON.stringify(DATA_A);
const C_TEXT = JSON.stringify(DATA_C);
const TWICE = 'is a duplicate key: parsers disagree on which value wins, so send it once';

/** A signing request with verbatim `data`. */
const signing = (data: string, platformId = 'alpha') =>
  `{"platformId":"${platformId}","accountId":"main","data":${data}}`;

/** Valid data with verbatim members. */
const withMembers = (members: string) => `{${members},${A_TEXT.slice(1)}`;

/** A batch of requests. */
const batchOf = (...items: readonly string[]) =>
  `{"requests":[${items.map((item, index) => item.replace('{', `{"requestId":"r${index}",`)).join(',')}]}`;

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('A duplicate key in an object', () => {
  const service = useService();

  const send = (path: string, body: string | Buffer, headers: readonly string[] = []): Promise<ReceivedResponse> =>
    exchange(service.port, postBytes(path, body, [...headers]));

  function issuesOf(response: ReceivedResponse): readonly Issue[] {
    expectIssues(response);
    return expectError(response, 400, 'INVALID_DATA_FORMAT').details['issues'] as unknown as readonly Issue[];
  }

  function expectRecordedAsMalformed(): void {
    expect(service.records.entries).to.have.lengthOf(1);
    expect(service.records.entries[0]).to.deep.include({
      event: 'sign',
      outcome: 'refused',
      errorCode: 'INVALID_DATA_FORMAT',
      platformId: null,
      accountId: null,
      data: null,
    });
  }

  const good = signing(A_TEXT);
  const price = C_TEXT.replace('"price":', '"price":"1","price":');
  const single: readonly (readonly [name: string, body: string, paths: readonly string[]])[] = [
    ['the account', good.replace('{', '{"accountId":"idle",'), ['accountId']],
    ['a price', signing(price, 'gamma'), ['data.params.price']],
    ['a name that is escaped once', signing(withMembers('"a":1,"\\u0061":2')), ['data.a']],
    ['a name that is no plain identifier', signing(withMembers('"odd key":1,"odd key":2')), ['data["odd key"]']],
    ['__proto__', signing(withMembers('"__proto__":1,"__proto__":2')), ['data.__proto__']],
    ['one inside a member that is dropped', good.replace('{', '{"data":{"a":1,"a":2},'), ['data.a', 'data']],
    [
      'one 100 levels down',
      signing(withMembers(`"x":${nested(100).replace('1', '{"b":1,"b":2}')}`)),
      [`data.x${'.a'.repeat(100)}.b`],
    ],
  ];
  for (const [name, body, paths] of single) {
    it(`is rejected and recorded: ${name}`, async () => {
      expect(issuesOf(await send('/api/v1/sign', body))).to.deep.equal(paths.map((path) => ({ path, message: TWICE })));
      expectRecordedAsMalformed();
    });
  }

  it('is rejected in the root of a malformed request', async () => {
    expect(expectIssues(await send('/api/v1/sign', '[{"a":1,"a":2}]'))).to.deep.equal(['[0].a']);
  });

  const batches: readonly (readonly [name: string, body: string, path: string])[] = [
    ['in the data of an item', batchOf(good, good, signing(withMembers('"a":1,"a":2'))), 'requests[2].data.a'],
    ['requestId', batchOf(good, good.replace('{', '{"requestId":"again",')), 'requests[1].requestId'],
    ['requests', batchOf(good).replace('{', '{"requests":[],'), 'requests'],
  ];
  for (const [name, body, path] of batches) {
    it(`is rejected and recorded for the whole batch: ${name}`, async () => {
      expect(issuesOf(await send('/api/v1/sign/batch', body))).to.deep.equal([{ path, message: TWICE }]);
      expectRecordedAsMalformed();
    });
  }

  it('is reported with at most 19 others', async () => {
    const members = Array.from({ length: 50 }, (_, index) => `"m${index}":1,"m${index}":2`).join(',');
    const paths = Array.from({ length: 20 }, (_, index) => `data.m${index}`);
    expect(expectIssues(await send('/api/v1/sign', signing(withMembers(members))))).to.deep.equal(paths);
  });

  it('does not include equal names in other objects, in another case or within strings', async () => {
    const members = '"x":{"x":[{"x":1},{"x":"\\"x\\":1,\\"x\\":2"}]},"X":1,"x ":2';
    expectData(await send('/api/v1/sign', signing(withMembers(members))));
    expectData(await send('/api/v1/sign/batch', batchOf(good, good)));
  });
});
