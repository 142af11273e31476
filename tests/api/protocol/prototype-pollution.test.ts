import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../src/app/command-line.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import { exchange, postBytes } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

/** Members that pollute prototypes when copied or merged naively. */
const POLLUTING: readonly (readonly [name: string, member: string])[] = [
  ['__proto__', '"__proto__":{"polluted":"yes"}'],
  ['an escaped __proto__', '"\\u005f_proto__":{"polluted":"yes"}'],
  ['constructor.prototype', '"constructor":{"prototype":{"polluted":"yes"}}'],
  ['__proto__ in an array', '"list":[{"__proto__":{"polluted":"yes"}}]'],
];

const DATA = JSON.stringify(DATA_A);
const GOOD = `{"platformId":"alpha","accountId":"main","data":${DATA}}`;
const ITEM = GOOD.replace('{', '{"requestId":"1",');

describe('Members named like prototype accessors', () => {
  let service: RunningService;
  let known: readonly PropertyKey[];

  before(async () => {
    service = await startService();
    known = Reflect.ownKeys(Object.prototype);
  });
  after(() => service.close());
  afterEach(() => {
    expect(Reflect.ownKeys(Object.prototype)).to.deep.equal(known);
    for (const value of [{}, [], () => undefined, ''])
      expect(Reflect.get(Object(value), 'polluted')).to.equal(undefined);
  });

  it('a platform and an account are unknown if named so', async () => {
    const named = GOOD.replace('alpha', 'constructor').replace('main', 'toString');
    expectError(await post('/sign', named), 400, 'PLATFORM_NOT_SUPPORTED');
  });

  const post = (path: string, body: string) => exchange(service.port, postBytes(`/api/v1${path}`, body));

  for (const [name, member] of POLLUTING) {
    const places: readonly (readonly [place: string, path: string, body: string])[] = [
      ['a request', '/sign', GOOD.replace('{', `{${member},`)],
      ['a batch', '/sign/batch', `{${member},"requests":[${ITEM}]}`],
      ['an item of a batch', '/sign/batch', `{"requests":[${ITEM.replace('{', `{${member},`)}]}`],
      ['a request to verify', '/verify', GOOD.replace('{', `{${member},"signature":"x",`)],
    ];
    for (const [place, path, body] of places) {
      it(`${place}: ${name} is rejected and pollutes no prototype`, async () => {
        const { details } = expectError(await post(path, body), 400, 'INVALID_DATA_FORMAT');
        expect(details['issues']).to.be.an('array').with.lengthOf(1);
      });
    }

    it(`data: ${name} is rejected, or signed as sent`, async () => {
      const response = await post('/sign?include=payload', GOOD.replace('"data":{', `"data":{${member},`));
      if (member.includes('_proto__"')) return void expectError(response, 400, 'INVALID_DATA_FORMAT');
      const { payload } = (response.body as { readonly data: { readonly payload: string } }).data;
      const sent = JSON.parse(`{${member},${DATA.slice(1)}`) as JsonObject;
      expect(JSON.parse(payload)).to.deep.equal(sent);
    });
  }

  for (const [name, member] of POLLUTING) {
    it(`a credentials file: ${name} is rejected and pollutes no prototype`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'prototype-pollution-'));
      const file = join(folder, 'credentials.json');
      const platform = `{"platformId":"alpha","format":"any",${member}}`;
      const account = `{"platformId":"alpha","accountId":"main","algorithm":"ed25519",${member},"key":{"sealed":"x"}}`;
      try {
        for (const text of [
          `{"version":1,"platforms":[],"accounts":[],${member}}`,
          `{"version":1,"platforms":[${platform}],"accounts":[]}`,
          `{"version":1,"platforms":[],"accounts":[${account}]}`,
        ]) {
          writeFileSync(file, text, { mode: 0o600 });
          const environment = { SIGNING_CREDENTIALS_FILE: file, SIGNING_MASTER_KEY_FILE: join(folder, 'master.key') };
          expect(await runCommandLine(['node', 'x', 'account', 'list'], environment, () => undefined)).not.to.equal(0);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
