import { expect } from 'chai';
import request from 'supertest';
import type { Issue } from '../../../src/domain/model/errors.ts';
import { startAuthenticatedService } from '../../harness/authenticated-service.ts';
import { DOCUMENTED_OPERATIONS } from '../../harness/documented-operations.ts';
import { expectError, expectIssues, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { startService } from '../../harness/running-service.ts';
import { restartAs, useService } from '../../harness/use-service.ts';

/** An operation with the body of its first example. */
interface Call {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly body: object | undefined;
  readonly query: readonly string[];
  readonly isOpen: boolean;
}

const CALLS: readonly Call[] = DOCUMENTED_OPERATIONS.map(({ method, path, query, examples, operation }) => ({
  ...{ method, query, isOpen: operation === 'open', body: examples[0]?.[1].body },
  path: path.replace(':platformId', 'alpha').replace(':accountId', 'main'),
}));

function messagesOf(response: ReceivedResponse): readonly string[] {
  const { details } = expectError(response, 400, 'INVALID_DATA_FORMAT');
  return (details['issues'] as unknown as readonly Issue[]).map(({ message }) => message);
}

describe('Query parameters', () => {
  const service = useService();

  async function send({ method, path, body }: Call, query: string): Promise<ReceivedResponse> {
    return request(service.server)[method](`${path}?${query}`).send(body);
  }

  for (const call of CALLS) {
    const { method, path, query: known } = call;

    it(`are rejected if unknown: ${method} ${path}`, async () => {
      const response = await send(call, 'unexpected=1&__proto__=1');
      expect(expectIssues(response)).to.deep.equal(['unexpected', '']);
      expect(messagesOf(response)[0]).to.include(
        known.length === 0 ? 'which has none' : `endpoint (${known.join(', ')});`,
      );
      // Parsers limit the number of parameters.
      expect(expectIssues(await send(call, `${'&'.repeat(1000)}unexpected=1`))).to.deep.equal(['unexpected']);
      const inCapitals = known.map((name) => name.toUpperCase());
      for (const name of inCapitals) expect(expectIssues(await send(call, `${name}=1`))).to.deep.equal([name]);
    });

    for (const name of known) {
      it(`are rejected if repeated: ${name} of ${method} ${path}`, async () => {
        const value = name === 'include' ? 'payload' : '1';
        const response = await send(call, `${name}=${value}&${name}=${value}`);
        expect(expectIssues(response)).to.deep.equal([name]);
        expect(messagesOf(response)[0]).to.include('at most once');
      });
    }
  }

  it('are recorded if unknown, like a malformed body, also by a reload', async () => {
    const call = CALLS.find(({ path }) => path === '/api/v1/config/reload') as Call;
    expectIssues(await send(call, 'force=true'));
    const expected = { event: 'reload', outcome: 'refused', errorCode: 'INVALID_DATA_FORMAT' };
    expect(service.records.entries).to.have.lengthOf(1);
    expect(service.records.entries[0]).to.deep.include(expected);
  });

  it('are checked before permissions, like the rest of the request', async () => {
    await restartAs(service, startService({ permissions: [] }));
    const statusCall = CALLS.find(({ path }) => path === '/api/v1/status') as Call;
    expectError(await send(statusCall, ''), 403, 'FORBIDDEN');
    expect(expectIssues(await send(statusCall, 'verbose'))).to.deep.equal(['verbose']);
  });

  it('are checked after authentication', async () => {
    await restartAs(service, startAuthenticatedService());
    for (const call of CALLS.filter(({ isOpen }) => !isOpen)) {
      expectError(await send(call, 'unexpected=1'), 401, 'UNAUTHENTICATED');
    }
  });
});
