import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  currentRevision,
  readCredentialsFile,
  unreadable,
} from '../../../../src/adapters/credentials/credentials-file.ts';
import { CredentialLoadError, type Issue } from '../../../../src/domain/model/errors.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const SECRET = '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d';

const PLATFORM = { platformId: 'alpha', format: 'A' };
const ACCOUNT = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519', key: { file: 'main.key' } };
const RIGHT = { version: 1, platforms: [PLATFORM], accounts: [ACCOUNT] };
/** One audit path more than allowed. */
const NUMBERED = Array.from({ length: 65 }, (_, index) => `field-${index}`);

type Part = Record<string, unknown>;
const withPlatform = (change: Part) => ({ ...RIGHT, platforms: [{ ...PLATFORM, ...change }], accounts: [] });
const withAccount = (change: Part) => ({ ...RIGHT, accounts: [{ ...ACCOUNT, ...change }] });

describe('readCredentialsFile', () => {
  const workplace = useWorkplace();

  async function issues(content: unknown): Promise<readonly Issue[]> {
    workplace().write(content);
    const error = await rejection(readCredentialsFile(workplace().file));
    expect(error).to.be.instanceOf(CredentialLoadError);
    expect(error.message).to.include(workplace().file);
    return (error as CredentialLoadError).issues;
  }

  async function read(content: unknown) {
    workplace().write(content);
    return readCredentialsFile(workplace().file);
  }

  it('fills in defaults, and returns the content as written', async () => {
    const { content, written } = await read(RIGHT);
    expect(content.accounts).to.deep.equal([
      {
        ...{ ...ACCOUNT, alias: 'main', status: 'active', environment: 'production' },
        ...{ publicKey: null, createdAt: null },
      },
    ]);
    expect(written).to.deep.equal(RIGHT);
  });

  it('accepts a byte order mark, aliases in any script, and fields at their maximum sizes', async () => {
    expect((await read(`\u{feff}${JSON.stringify(RIGHT)}`)).written).to.deep.equal(RIGHT);
    for (const alias of ['Основной счёт', '主账户 №1', '😀'.repeat(128)]) await read(withAccount({ alias }));
    await read(withAccount({ key: { file: 'a'.repeat(4096) } }));
    const longest = Array.from({ length: 8 }, () => 'x'.repeat(64)).join('.');
    const clear = ['client-order.ID_2', longest, ...NUMBERED.slice(0, 62)];
    expect((await read(withPlatform({ audit: { clear } }))).content.platforms[0]?.audit).to.deep.equal({ clear });
  });

  it('reads a file again that is written during the read', async () => {
    workplace().write(RIGHT);
    const handle = await open(workplace().file);
    const prototype: Pick<FileHandle, 'readFile'> = Object.getPrototypeOf(handle);
    await handle.close();
    const { readFile } = prototype;
    let readings = 0;
    prototype.readFile = async function (this: FileHandle) {
      const bytes = await readFile.call(this);
      readings += 1;
      if (readings === 1) workplace().write(withAccount({ alias: 'later' }));
      return bytes;
    } as FileHandle['readFile'];
    try {
      const { written, revision } = await readCredentialsFile(workplace().file);
      expect(written).to.deep.equal(withAccount({ alias: 'later' }));
      expect(readings).to.equal(2);
      expect(revision).to.equal(await currentRevision(workplace().file));
    } finally {
      prototype.readFile = readFile;
    }
  });

  it('explains that a file is missing or may not be read', async () => {
    const file = workplace().path('missing.json');
    const error = await rejection(readCredentialsFile(file));
    expect(error).to.be.instanceOf(CredentialLoadError);
    expect(error.message).to.equal(
      `${file}: no such file; restore it, or if it never existed, run \`signing-service init\` to create one without accounts.`,
    );
    const refusal = Object.assign(new Error('from the system'), { code: 'EACCES' });
    expect(unreadable('credentials.json', refusal).message).to.equal(
      'credentials.json: this user may not read it; let the user of this program read the file and enter the folders above it.',
    );
  });

  it('rejects in production, and only there, a file that others can change', async () => {
    workplace().write(RIGHT);
    chmodSync(workplace().file, 0o666);
    await readCredentialsFile(workplace().file);
    const error = await rejection(readCredentialsFile(workplace().file, { production: true }));
    expect(error).to.be.instanceOf(CredentialLoadError).with.property('message').that.includes('chmod go-w');
  });

  it('rejects a folder, and a pipe without a writer', async () => {
    const pipe = workplace().path('pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [path, message] of [
      [workplace().folder, 'it is a folder'],
      [pipe, 'it is not a regular file'],
    ] as const) {
      expect((await rejection(readCredentialsFile(path))).message).to.include(`${path}: ${message}`);
    }
  });

  for (const [name, content, message] of [
    ['blank', ' \n\n', /^is empty; restore it/],
    ['not UTF-8', Buffer.concat([Buffer.from('{"version":'), Buffer.from([0xff])]), /^is not UTF-8/],
    ['without quotes', `{"plaintext": x${SECRET}}`, /^is not valid JSON: invalid symbol \(line 1, column 15\)$/],
    ['nested deeply', '['.repeat(100_000) + ']'.repeat(100_000), /^must be an object$/],
  ] as const) {
    it(`reports text that is ${name}, without quoting it`, async () => {
      const [issue, ...more] = await issues(content);
      expect(more).to.deep.equal([]);
      expect(issue?.path).to.equal('');
      expect(issue?.message).to.match(message).and.not.include(SECRET.slice(0, 8));
    });
  }

  const LONG = 'a'.repeat(129);
  const POLICY = { name: 'orders', accounts: ['alpha/*'], effect: 'allow', when: 'true' };
  const BUDGET = { name: 'daily', accounts: ['alpha/*'], sum: '1', max: '10', windowSeconds: 60 };
  const CLEAR = 'must be 1 to 8 names separated by dots, each of 1 to 64 letters, digits, _ or -';
  const ALIAS = 'must be 1 to 128 printable characters';
  const KEY = 'must be exactly one of {"sealed": …}';
  const allIssues: readonly (readonly [unknown, string, string])[] = [
    [{ ...RIGHT, account: [] }, 'account', 'is an unknown field; check its spelling or remove it'],
    ...['..', 'a/b', 'a\n', LONG].map(
      (platformId) => [withPlatform({ platformId }), 'platforms[0].platformId', 'must be 1 to 128 letters'] as const,
    ),
    [withAccount({ environment: 'Test' }), 'accounts[0].environment', 'must be 1 to 32 lowercase letters, digits or -'],
    [withAccount({ key: { plaintext: '' } }), 'accounts[0].key.plaintext', 'must not be empty'],
    [withPlatform({ algorithms: [] }), 'platforms[0].algorithms', 'must name at least one algorithm'],
    ...['a..b', 'a[0]', 'a\n', LONG.slice(0, 65), 'a.b.c.d.e.f.g.h.i'].map(
      (path) => [withPlatform({ audit: { clear: ['amount', path] } }), 'platforms[0].audit.clear[1]', CLEAR] as const,
    ),
    [
      withPlatform({ audit: { clear: ['body.__proto__.px'] } }),
      'platforms[0].audit.clear[0]',
      'must not contain __proto__',
    ],
    [withAccount({ platformId: 'Alpha' }), 'accounts[0].platformId', 'is not a configured platform; add it first'],
    [withPlatform({ audit: { clear: ['a', 'b', 'a'] } }), 'platforms[0].audit.clear', 'must not have duplicate paths'],
    [withPlatform({ audit: { clear: NUMBERED } }), 'platforms[0].audit.clear', 'must name at most 64 paths'],
    ...['', LONG, 'line\nbreak', 'right-to-left \u202e', 'half \ud83d', '\ue000'].map(
      (alias) => [withAccount({ alias }), 'accounts[0].alias', ALIAS] as const,
    ),
    [withAccount({ publicKey: 'with space' }), 'accounts[0].publicKey', 'must be a public key'],
    [withAccount({ createdAt: '2026-11-20T00:00:00+01:00' }), 'accounts[0].createdAt', 'must be a UTC time such as'],
    [withAccount({ createdAt: '2026-02-30T00:00:00Z' }), 'accounts[0].createdAt', 'must be a UTC time'],
    [withAccount({ overlapSeconds: 3601 }), 'accounts[0].overlapSeconds', 'must be 1 to 3600 seconds'],
    ...[undefined, SECRET, { file: 'a', plaintext: SECRET }].map(
      (key) => [withAccount({ key }), 'accounts[0].key', KEY] as const,
    ),
    ...['', 'a'.repeat(4097), 'a\0b'].map(
      (file) => [withAccount({ key: { file } }), 'accounts[0].key.file', 'must be a file path'] as const,
    ),
    [withAccount({ key: { file: 'a', format: 'der' } }), 'accounts[0].key.format', 'must be one of raw, hex, base58'],
    [
      withAccount({ key: { file: 'a', format: 'hex', passwordFile: 'b' } }),
      'accounts[0].key.passwordFile',
      'is only allowed with format keystore',
    ],
    [
      withAccount({ publicKey: 'x', key: { sealed: SECRET } }),
      'accounts[0].key.sealed',
      'must be a sealed key written by `signing-service account add`',
    ],
    [
      withAccount({ key: { sealed: `v1.0123456789abcdef.${'A'.repeat(32)}.${'A'.repeat(64)}` } }),
      'accounts[0].publicKey',
      'is required with a sealed key, which is bound to it',
    ],
    [
      withAccount({ algorithm: 'eip191' }),
      'accounts[0].algorithm',
      "must be one of its platform's algorithms (ed25519)",
    ],
    [
      {
        ...RIGHT,
        platforms: [{ platformId: 'alpha', format: 'any', encoding: 'hex' }],
        accounts: [{ ...ACCOUNT, algorithm: 'eip191' }],
      },
      'accounts[0].algorithm',
      'does not match the encoding of its platform: signatures of eip191 have a 0x prefix, which the encoding hex lacks',
    ],
    [
      { ...RIGHT, platforms: [PLATFORM, { platformId: 'alpha', format: 'B' }] },
      'platforms[1].platformId',
      'is a duplicate of platforms[0].platformId; remove one of them',
    ],
    [
      { ...RIGHT, accounts: [ACCOUNT, { ...ACCOUNT, accountId: 'b' }, { ...ACCOUNT, alias: 'Twin' }] },
      'accounts[2].accountId',
      'is a duplicate of accounts[0].accountId; remove one of them',
    ],
    [
      { ...RIGHT, policies: [POLICY], budgets: [{ ...BUDGET, name: POLICY.name }] },
      'budgets[0].name',
      'is a duplicate of policies[0].name; remove one of them',
    ],
    [
      { ...RIGHT, budgets: [{ ...BUDGET, max: '12345678901234' }] },
      'budgets[0].max',
      'must be a decimal of at least 1e-30 and below 1e31 with at most 13 digits, such as "50000"',
    ],
    [
      withPlatform({ algorithms: ['eip191', 'eip191'] }),
      'platforms[0].algorithms',
      'must not have duplicate algorithms',
    ],
    [
      withAccount({ key: { file: 'a', format: 'hex', derivationPath: 'm/0' } }),
      'accounts[0].key.derivationPath',
      'is only allowed with format mnemonic',
    ],
    [
      { ...RIGHT, budgets: [{ ...BUDGET, windowSeconds: 2_678_401 }] },
      'budgets[0].windowSeconds',
      'must be an integer from 1 to 2678400 (31 days)',
    ],
  ];
  it('reports each issue by its path, with line and column', async () => {
    for (const [content, path, message] of allIssues) {
      const matching = (await issues(content)).filter((issue) => issue.path === path);
      expect(matching.map((issue) => issue.message).join(), JSON.stringify(content))
        .to.include(message)
        .and.match(/\(line \d+, column \d+\)$/);
    }
  });

  it('reports many duplicate accounts once, with their number and the first of them', async () => {
    const accounts = Array.from({ length: 200 }, (_, nth) => ({ ...ACCOUNT, accountId: `a${nth}` }));
    const [issue, ...others] = await issues({ ...RIGHT, accounts: [...accounts, ...accounts] });
    expect(others).to.deep.equal([]);
    expect(issue?.path).to.equal('accounts[200].accountId');
    expect(issue?.message).to.match(
      /^is a duplicate of an earlier .* \(200 of 400 accounts: alpha\/a0, alpha\/a1, alpha\/a2 and 197 more\) \(line /,
    );
  });

  it('rejects __proto__ like any unknown field', async () => {
    expect(await issues('{"__proto__": {"version": 1}, "version": 1, "platforms": [], "accounts": []}')).to.deep.equal([
      { path: '', message: 'has an unknown field; remove it (line 1, column 1)' },
    ]);
  });

  it('rejects a duplicate field', async () => {
    const text = JSON.stringify(RIGHT, null, 2).replace(
      '"algorithm": "ed25519",',
      '"status": "disabled",\n      "algorithm": "ed25519",\n      "stat\\u0075s": "active",',
    );
    expect(await issues(text)).to.deep.equal([
      {
        path: 'accounts[0]',
        message: 'contains a duplicate key status; remove one of them (account alpha/main) (line 15, column 7)',
      },
    ]);
  });

  it('rejects a duplicate field whose dropped value is nested too deeply', async () => {
    const text = JSON.stringify(RIGHT).replace('{', `{"version":${'['.repeat(20_000)}${']'.repeat(20_000)},`);
    expect(await issues(text)).to.deep.equal([
      { path: '', message: 'contains a duplicate key, or is nested too deeply' },
    ]);
  });

  it('reports all issues of a file in order, up to 20, each with line and column as an editor counts them', async () => {
    const text =
      '{\n  "version": 2,\n  "platforms": [\n    { "platformId": "alpha", "format": "Z" }\n  ],\n  "accounts": []\n}\n';
    expect(await issues(text)).to.deep.equal([
      { path: 'version', message: 'must be 1, the only supported version (line 2, column 3)' },
      { path: 'platforms[0].format', message: 'must be one of A, B, C, D, any (line 4, column 30)' },
    ]);
    const unknown = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, 1]));
    const found = await issues({ ...RIGHT, ...unknown });
    expect(found).to.have.lengthOf(21);
    expect(found.at(-1)).to.deep.equal({ path: '', message: 'and 5 more issues' });
  });

  it('names the account of an issue, unless its ids may be secrets', async () => {
    const whole = async (change: Part) => (await issues(withAccount({ alias: '', ...change })))[0]?.message;
    expect(await whole({})).to.include(' (account alpha/main) (line ');
    for (const accountId of [SECRET, 'x'.repeat(32), 'a b', 5]) {
      expect(await whole({ accountId })).to.not.include('(account');
    }
  });

  it('never quotes the file, wherever a key was pasted', async () => {
    const domain = { name: 'x', version: '1', chainId: 1, verifyingContract: `0x${'0'.repeat(40)}` };
    const template = '{timestamp}{account.apiKey}{account.window}{query}{body}';
    const query = { sort: true, encode: 'none' };
    const prehash = { rule: 'prehash', template, separator: ' ', timestamp: 'ms', query, values: { window: '5000' } };
    const typedData = { domain, primaryType: 'Message', member: 'msg' };
    const full = {
      version: 1,
      platforms: [
        { ...PLATFORM, encoding: 'hex', payload: { rule: 'jcs', field: 'x' }, audit: { clear: ['x', 'y.z'] } },
        { platformId: 'beta', format: 'any', payload: prehash, secretDecoding: 'hex', verify: { mac: true } },
        { platformId: 'gamma', format: 'any', payload: { rule: 'query', prefix: '{data.x}', suffix: '|', typedData } },
        { platformId: 'delta', format: 'any', payload: { rule: 'typed-data', domain } },
      ],
      accounts: [
        { ...ACCOUNT, alias: 'x', status: 'active', environment: 'e', publicKey: 'x', key: { plaintext: 'x' } },
        { ...ACCOUNT, platformId: 'beta', algorithm: 'hmac-sha256', values: { apiKey: 'x' } },
      ],
      permissions: [{ principals: ['x'], accounts: ['x/*'], operations: ['sign'] }],
      policies: [POLICY],
      budgets: [BUDGET],
    };
    await read(full);
    const places = placesIn(full);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.constantFrom('value', 'member', 'object', 'array', 'cut'),
        async (place, way) => {
          workplace().write(spoiled(full, place, way));
          const error = await readCredentialsFile(workplace().file).catch((thrown: unknown) => thrown);
          if (!(error instanceof Error)) return;
          expect(error).to.be.instanceOf(CredentialLoadError);
          expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).to.not.include(
            SECRET.slice(0, 8),
          );
        },
      ),
      { numRuns: 80 },
    );
  });

  it('throws only CredentialLoadError for any text', async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({ ...RIGHT, accounts: value })),
      fc.jsonValue().map((value) => JSON.stringify({ ...RIGHT, platforms: [value] })),
      fc.jsonValue().map((value) => JSON.stringify(withAccount({ key: value }))),
      fc.dictionary(fc.string(), fc.jsonValue()).map((extra) => JSON.stringify(withAccount(extra))),
      fc.uint8Array({ maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (content) => {
        workplace().write(content);
        const outcome = await readCredentialsFile(workplace().file).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).to.be.instanceOf(CredentialLoadError);
      }),
      { numRuns: 100 },
    );
  });
});

type Place = readonly (string | number)[];

/** Paths of all values. */
function placesIn(value: unknown, path: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...steps.flatMap((step) => placesIn(Reflect.get(value, step), [...path, step]))];
}

/** JSON text of `value` with a secret at one path. */
function spoiled(value: unknown, place: Place, way: string): string {
  const copy = { root: structuredClone(value) };
  const steps = ['root', ...place];
  const last = steps.pop() ?? 'root';
  const parent = steps.reduce<object>((node, step) => Reflect.get(node, step), copy);
  const old: unknown = Reflect.get(parent, last);
  const replacement =
    way === 'member' && typeof old === 'object'
      ? { ...old, [SECRET]: 1 }
      : {
          value: SECRET,
          member: { [SECRET]: 1 },
          object: { plaintext: SECRET, [SECRET]: SECRET },
          array: [SECRET],
          cut: SECRET,
        }[way];
  Reflect.set(parent, last, replacement);
  const text = JSON.stringify(copy.root);
  return way === 'cut' ? text.slice(0, text.indexOf(SECRET) + SECRET.length) : text;
}
