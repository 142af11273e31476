import { expect } from 'chai';
import request from 'supertest';
import { expectData, expectIssues, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { exchange, postBytes } from '../../harness/raw-client.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useService } from '../../harness/use-service.ts';

const GOOD = { platformId: 'alpha', accountId: 'main', data: DATA_A };

/** A signing request as text, single and as the second of a batch. */
interface Endpoint {
  readonly path: string;
  /** Prefix of issue paths. */
  readonly prefix: string;
  wrap(item: string): string;
}

const SINGLE: Endpoint = { path: '/api/v1/sign', prefix: '', wrap: (item) => item };

const BATCH: Endpoint = {
  path: '/api/v1/sign/batch',
  prefix: 'requests[1].',
  wrap: (item) =>
    `{"requests":[${JSON.stringify({ requestId: 'first', ...GOOD })},${item.replace('{', '{"requestId":"second",')}]}`,
};

describe('Bad input', () => {
  const service = useService();

  async function send(path: string, body: string | Buffer): Promise<ReceivedResponse> {
    return exchange(service.port, postBytes(path, body));
  }

  async function expectNoSignature(): Promise<void> {
    const response = await request(service.server).get('/api/v1/status');
    const { performance } = expectData<{ performance: { totalSigns: number } }>(response);
    expect(performance.totalSigns).to.equal(0);
  }

  for (const endpoint of [SINGLE, BATCH]) {
    describe(`POST ${endpoint.path}`, () => {
      const sendItem = (item: object) => send(endpoint.path, endpoint.wrap(JSON.stringify(item)));

      after(expectNoSignature);

      describe('rejects fields of the envelope that are', () => {
        const fields: readonly (readonly [name: string, fields: object, path: string])[] = [
          ['missing: platformId', { platformId: undefined }, 'platformId'],
          ['missing: accountId', { accountId: undefined }, 'accountId'],
          ['missing: data', { data: undefined }, 'data'],
          ['a number: platformId', { platformId: 1 }, 'platformId'],
          ['an id with a newline', { platformId: 'alpha\n' }, 'platformId'],
          ['an id of 129 characters', { accountId: 'a'.repeat(129) }, 'accountId'],
          ['an id that climbs out of a folder', { accountId: '../secret' }, 'accountId'],
          ['an id with a slash', { accountId: 'main/secret' }, 'accountId'],
          ['data that is null', { data: null }, 'data'],
          ['data that is an array', { data: [DATA_A] }, 'data'],
          ['a rule that is no text', { rule: 5 }, 'rule'],
          ['an unknown field', { privateKey: 'x' }, 'privateKey'],
        ];
        for (const [name, override, path] of fields) {
          it(name, async () => {
            const response = await sendItem({ ...GOOD, ...override });
            expect(expectIssues(response)).to.deep.equal([`${endpoint.prefix}${path}`]);
          });
        }

        it('named __proto__', async () => {
          const item = `{"__proto__":{"platformId":"alpha"},${JSON.stringify(GOOD).slice(1)}`;
          const response = await send(endpoint.path, endpoint.wrap(item));
          expect(expectIssues(response)).to.deep.equal([`${endpoint.prefix}__proto__`]);
        });

        it('named with a newline and 10 kB, without echoing the whole name', async () => {
          const response = await sendItem({ ...GOOD, [`odd\n"${'n'.repeat(10_000)}`]: 1 });
          const [path = ''] = expectIssues(response);
          expect(path).to.match(/^[\x20-\x7e]{1,256}$/);
        });

        it('all invalid, reporting each path and never a value', async () => {
          const response = await sendItem({ platformId: 'secret value!', accountId: 99999001, data: 'secret data' });
          const paths = ['platformId', 'accountId', 'data'].map((path) => `${endpoint.prefix}${path}`);
          expect(expectIssues(response)).to.have.members(paths);
          expect(JSON.stringify(response.body)).not.to.match(/secret|99999001/);
        });
      });

      describe('rejects bodies that are', () => {
        const bodies: readonly (readonly [name: string, body: string | Buffer])[] = [
          ['empty', ''],
          ['broken JSON', '{"platformId":"alpha",'],
          ['with NaN', endpoint.wrap(JSON.stringify(GOOD).replace('1763628540123', 'NaN'))],
          ['begun with a byte order mark', `\ufeff${endpoint.wrap(JSON.stringify(GOOD))}`],
          ['in UTF-16', Buffer.from(endpoint.wrap(JSON.stringify(GOOD)), 'utf16le')],
          ['null', 'null'],
          ['an array', `[${JSON.stringify(GOOD)}]`],
          ['nested 100,000 levels deep', '['.repeat(100_000) + ']'.repeat(100_000)],
        ];
        for (const [name, body] of bodies) {
          it(name, async () => {
            expect(expectIssues(await send(endpoint.path, body))).to.deep.equal(['']);
          });
        }

        it('empty, with a message', async () => {
          expect(JSON.stringify((await send(endpoint.path, '')).body)).to.include('empty');
        });

        const invalidUtf8: readonly (readonly [name: string, bytes: readonly number[]])[] = [
          ['a byte that is never UTF-8', [0xff]],
          ['an encoded surrogate', [0xed, 0xa0, 0x80]],
        ];
        for (const [name, bytes] of invalidUtf8) {
          it(`not UTF-8: ${name}`, async () => {
            const text = endpoint.wrap(JSON.stringify({ ...GOOD, data: { ...DATA_A, note: '#' } }));
            const [before = '', after = ''] = text.split('#');
            const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
            expect(expectIssues(await send(endpoint.path, body))).to.deep.equal(['']);
          });
        }
      });
    });
  }

  describe('data that no platform can sign', () => {
    after(expectNoSignature);

    const A_TEXT = JSON.stringify(DATA_A);
    /** Valid data with another member. */
    const withMember = (member: string) => `{${member},${A_TEXT.slice(1)}`;
    const withNonce = (nonce: string) => A_TEXT.replace('1763628540123', nonce);
    const withOrder = (fields: object) =>
      JSON.stringify({ ...DATA_A, instruction: { ...DATA_A.instruction, ...fields } });
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const signText = (data: string) => `{"platformId":"alpha","accountId":"main","data":${data}}`;

    const unsignable: readonly (readonly [name: string, data: string, path: RegExp])[] = [
      ['a nonce as a string', withNonce('"1763628540123"'), /^data\.nonce$/],
      ['a missing price', withOrder({ price: undefined }), /^data\.instruction\.price$/],
      ['an amount as a number', withOrder({ amount: 10 }), /^data\.instruction\.amount$/],
      ['an integer beyond 2^53-1', withNonce('9007199254740993'), /^data\.nonce$/],
      ['an integer beyond -(2^53-1)', withMember('"x":-9007199254740993'), /^data\.x$/],
      ['a number beyond any double', withMember('"x":1e400'), /^data\.x$/],
      ['a number that would be rounded', withMember('"x":4503599627370496.5'), /^data\.x$/],
      ['a number that would become zero', withMember('"x":[{"y":1e-400}]'), /^data\.x\[0\]\.y$/],
      ['one in a body of 20 kB', withMember(`"pad":"${'p'.repeat(20_000)}","x":1e-400`), /^data\.x$/],
      ['a member named __proto__', withMember('"__proto__":{"polluted":true}'), /^data\W+__proto__\W*$/],
      ['a lone surrogate', withMember('"x":"\\ud800"'), /^data\.x$/],
      ['200 levels of nesting', withMember(`"x":${nested(200)}`), /^data\.x\.a/],
      ['20,000 levels of nesting', withMember(`"x":${nested(20_000)}`), /^$/],
    ];
    for (const [name, data, path] of unsignable) {
      it(name, async () => {
        const [first] = expectIssues(await send('/api/v1/sign', signText(data)));
        expect(first).to.match(path);
      });
    }

    it('a number that would be rounded, with the advice to send a string', async () => {
      const response = await send('/api/v1/sign', signText(withMember('"x":4503599627370496.5')));
      expect(JSON.stringify(response.body)).to.include('send other numbers as strings');
    });

    it('a number that would be rounded, to verify', async () => {
      const item = signText(withMember('"x":1e-400')).replace('{', '{"signature":"1",');
      expect(expectIssues(await send('/api/v1/verify', item))).to.deep.equal(['data.x']);
    });

    it('a number that would be rounded fails only its item', async () => {
      const item = signText(withMember('"x":4503599627370496.5')).replace('{', '{"requestId":"rounded",');
      const data = expectData<{ results: readonly { error: { code: string; details: object } }[] }>(
        await send('/api/v1/sign/batch', `{"requests":[${item}]}`),
      );
      expect(data.results.map(({ error }) => error.code)).to.deep.equal(['INVALID_DATA_FORMAT']);
      expect(JSON.stringify(data.results[0]?.error.details)).to.include('"path":"data.x"');
    });
  });
});
