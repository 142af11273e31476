import { execFileSync } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  currentRevision,
  readCredentialsFile,
  unreadable,
} from '../../../../src/adapters/credentials/credentials-file.ts';
import { CredentialLoadError } from '../../../../src/domain/model/errors.ts';
import type { Issue } from '../../../../src/domain/model/refusal.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const SECRET = '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d';

const PLATFORM = { platformId: 'alpha', format: 'A' };
const ACCOUNT = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519', key: { file: 'main.key' } };
const RIGHT = { version: 1, platforms: [PLATFORM], accounts: [ACCOUNT] };

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

  it('reads an empty configuration, the one that `init` writes', async () => {
    const empty = { version: 1, platforms: [], accounts: [] };
    expect((await read(empty)).content).to.deep.equal(empty);
  });

  it('adds default status and environment, and returns the content as written', async () => {
    const { content, written } = await read(RIGHT);
    expect(content.accounts).to.deep.equal([{ ...ACCOUNT, status: 'active', environment: 'production' }]);
    expect(written).to.deep.equal(RIGHT);
  });

  it('accepts a file that begins with a byte order mark', async () => {
    expect((await read(`\u{feff}${JSON.stringify(RIGHT)}`)).written).to.deep.equal(RIGHT);
  });

  it('accepts aliases in any script', async () => {
    for (const alias of ['Основной счёт', '主账户 №1', 'a', '😀'.repeat(128)]) await read(withAccount({ alias }));
  });

  describe('with a file that is written during the read', () => {
    let prototype: Pick<FileHandle, 'readFile'>;
    let readFile: FileHandle['readFile'];
    let readings: number;

    /** Writes each content after a read, repeating the last. */
    async function readWhileWritten(...contents: readonly object[]) {
      workplace().write(RIGHT);
      const handle = await open(workplace().file);
      prototype = Object.getPrototypeOf(handle);
      await handle.close();
      readFile = prototype.readFile;
      readings = 0;
      prototype.readFile = async function (this: FileHandle) {
        const bytes = await readFile.call(this);
        const content = contents[readings];
        readings += 1;
        if (content !== undefined) workplace().write(content);
        return bytes;
      } as FileHandle['readFile'];
      try {
        return await readCredentialsFile(workplace().file);
      } finally {
        prototype.readFile = readFile;
      }
    }

    const numbered = (index: number) => withAccount({ alias: 'x'.repeat(index) });

    it('reads it again', async () => {
      const { written, revision } = await readWhileWritten(numbered(1));
      expect(written).to.deep.equal(numbered(1));
      expect(readings).to.equal(2);
      expect(revision).to.equal(await currentRevision(workplace().file));
    });

    it('reads it at most three times, then returns an outdated revision', async () => {
      const { written, revision } = await readWhileWritten(numbered(1), numbered(2), numbered(3), numbered(4));
      expect(written).to.deep.equal(numbered(2));
      expect(readings).to.equal(3);
      expect(revision).to.not.equal(await currentRevision(workplace().file));
    });
  });

  describe('reports why it rejects a file', () => {
    it('that is missing', async () => {
      const file = workplace().path('missing.json');
      const error = await rejection(readCredentialsFile(file));
      expect(error).to.be.instanceOf(CredentialLoadError);
      expect(error.message).to.equal(
        `${file}: no such file; restore it, or if it never existed, run \`signing-service init\` to create one without accounts`,
      );
    });

    it('that this user may not read', () => {
      const refusal = Object.assign(new Error('from the system'), { code: 'EACCES' });
      expect(unreadable('credentials.json', refusal).message).to.match(
        /^credentials\.json: cannot be read: permission denied \(EACCES\) on the file for (user \S+ \()?uid \d+\)?; let this user read the file/,
      );
    });

    it('that is a folder', async () => {
      const error = await rejection(readCredentialsFile(workplace().folder));
      expect(error.message).to.equal(`${workplace().folder}: is not a regular file`);
    });

    it('that is a pipe without a writer', async () => {
      const pipe = workplace().path('pipe');
      execFileSync('mkfifo', [pipe]);
      expect((await rejection(readCredentialsFile(pipe))).message).to.equal(`${pipe}: is not a regular file`);
    });

    for (const [name, content] of [
      ['empty', ''],
      ['blank', ' \n\n'],
    ] as const) {
      it(`that is ${name}`, async () => {
        expect(await issues(content)).to.deep.equal([
          {
            path: '',
            message:
              'is empty; restore it, or if it never had an account, remove it and run `signing-service init` to create one without accounts',
          },
        ]);
      });
    }

    it('that is not UTF-8', async () => {
      const content = Buffer.concat([Buffer.from('{"version":'), Buffer.from([0xff])]);
      expect(await issues(content)).to.deep.equal([{ path: '', message: 'is not UTF-8; save it as UTF-8' }]);
    });
  });

  describe('reports where text is not valid JSON, without quoting it', () => {
    const texts: readonly (readonly [string, string, string])[] = [
      ['a comma too many', `{\n  "version": 1,\n}`, '(line 3, column 1)'],
      ['a comma too few', `{\n  "version": 1\n  "platforms": []\n}`, 'comma expected (line 3, column 3)'],
      ['a comment', `{\n  // ${SECRET}\n  "version": 1\n}`, 'invalid comment token (line 2, column 3)'],
      ['an unfinished text', `{\n  "version": "${SECRET}`, 'unexpected end of string (line 2, column 14)'],
      ['a key without quotes', `{"plaintext": x${SECRET}}`, 'invalid symbol (line 1, column 15)'],
      ['something behind it', `{}\n${SECRET}`, 'end of file expected (line 2, column 1)'],
      ['a half of it', `{"accounts": [{"key": {"plaintext": "${SECRET}"}}`, '(line 1, column'],
    ];
    for (const [name, text, part] of texts) {
      it(name, async () => {
        const [issue, ...more] = await issues(text);
        expect(more).to.deep.equal([]);
        expect(issue?.path).to.equal('');
        expect(issue?.message)
          .to.match(/^is not valid JSON/)
          .and.include(part)
          .and.not.include(SECRET.slice(0, 8));
      });
    }

    it('100,000 levels of nesting', async () => {
      expect((await issues('['.repeat(100_000)))[0]?.message).to.match(/^is not valid JSON/);
      expect((await issues('['.repeat(100_000) + ']'.repeat(100_000)))[0]?.message).to.equal('must be an object');
      const deep = `${'{"x":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
      await issues(`{"version":1,"platforms":[],"accounts":${deep},"accounts":[]}`);
    });
  });

  const LONG = 'a'.repeat(129);
  const NUMBERED = Array.from({ length: 65 }, (_, index) => `field-${index}`);
  const POLICY = { name: 'orders', accounts: ['alpha/*'], effect: 'allow', when: 'true' };
  const BUDGET = { name: 'daily', accounts: ['alpha/*'], sum: '1', max: '10', windowSeconds: 60 };
  const allIssues: readonly (readonly [unknown, string, string])[] = [
    [[], '', 'must be an object'],
    [null, '', 'must be an object'],
    [{ platforms: [], accounts: [] }, 'version', 'must be 1, the only supported version'],
    [{ ...RIGHT, version: 2 }, 'version', 'must be 1, the only supported version'],
    [{ ...RIGHT, version: '1' }, 'version', 'must be 1, the only supported version'],
    [{ ...RIGHT, account: [] }, 'account', 'is an unknown field; check its spelling or remove it'],
    [{ ...RIGHT, platforms: {} }, 'platforms', 'must be an array'],
    [{ ...RIGHT, accounts: [5] }, 'accounts[0]', 'must be an object'],
    [withPlatform({ platformId: undefined }), 'platforms[0].platformId', 'is required'],
    [withPlatform({ platformId: '' }), 'platforms[0].platformId', 'must be 1 to 128 letters'],
    [withPlatform({ platformId: '..' }), 'platforms[0].platformId', 'must be 1 to 128 letters'],
    [withPlatform({ platformId: 'a/b' }), 'platforms[0].platformId', 'must be 1 to 128 letters'],
    [withPlatform({ platformId: 'a\n' }), 'platforms[0].platformId', 'must be 1 to 128 letters'],
    [withPlatform({ platformId: LONG }), 'platforms[0].platformId', 'must be 1 to 128 letters'],
    [withPlatform({ format: 'E' }), 'platforms[0].format', 'must be one of A, B, C, D, any'],
    [withPlatform({ algorithms: [] }), 'platforms[0].algorithms', 'must name at least one algorithm'],
    [withPlatform({ algorithms: ['rsa'] }), 'platforms[0].algorithms[0]', 'must be one of ed25519, eip191'],
    [
      withPlatform({ algorithms: ['eip191', 'eip191'] }),
      'platforms[0].algorithms',
      'must not have duplicate algorithms',
    ],
    [
      withPlatform({ encoding: 'latin1' }),
      'platforms[0].encoding',
      'must be one of base58, base64, base64url, base64url-padded, hex',
    ],
    [withPlatform({ payload: 'jcs' }), 'platforms[0].payload', 'must be an object'],
    [
      withPlatform({ payload: {} }),
      'platforms[0].payload.rule',
      'must be one of jcs, json, raw, query, prehash, kraken',
    ],
    [
      withPlatform({ payload: { rule: 'x' } }),
      'platforms[0].payload.rule',
      'must be one of jcs, json, raw, query, prehash, kraken',
    ],
    [withPlatform({ payload: { rule: 'raw', field: 'a' } }), 'platforms[0].payload.field', 'is an unknown field'],
    [withPlatform({ payload: { rule: 'jcs', field: '' } }), 'platforms[0].payload.field', 'must name a field of data'],
    [
      withPlatform({ payload: { rule: 'prehash', template: '{nonce}' } }),
      'platforms[0].payload.template',
      'has an unknown placeholder',
    ],
    [
      withPlatform({ payload: { rule: 'prehash', template: 'constant' } }),
      'platforms[0].payload.template',
      'must contain at least one of the placeholders',
    ],
    [withPlatform({ audit: [] }), 'platforms[0].audit', 'must be an object'],
    [withPlatform({ audit: {} }), 'platforms[0].audit.clear', 'is required'],
    [withPlatform({ audit: { clear: [], mask: [] } }), 'platforms[0].audit.mask', 'is an unknown field'],
    [withPlatform({ audit: { clear: 'amount' } }), 'platforms[0].audit.clear', 'must be an array'],
    [withPlatform({ audit: { clear: [5] } }), 'platforms[0].audit.clear[0]', 'must be a string'],
    ...['', '.', 'a.', '.a', 'a..b', 'a b', 'a[0]', 'é', 'a\n', '*', LONG, LONG.slice(0, 65), 'a.b.c.d.e.f.g.h.i'].map(
      (path) =>
        [
          withPlatform({ audit: { clear: ['amount', path] } }),
          'platforms[0].audit.clear[1]',
          'must be 1 to 8 names separated by dots, each of 1 to 64 letters, digits, _ or -',
        ] as const,
    ),
    ...['__proto__', 'body.__proto__.px'].map(
      (path) =>
        [
          withPlatform({ audit: { clear: [path] } }),
          'platforms[0].audit.clear[0]',
          'must not contain __proto__',
        ] as const,
    ),
    [withPlatform({ audit: { clear: ['a', 'b', 'a'] } }), 'platforms[0].audit.clear', 'must not have duplicate paths'],
    [
      withPlatform({ audit: { clear: NUMBERED.slice(0, 65) } }),
      'platforms[0].audit.clear',
      'must name at most 64 paths',
    ],
    [withAccount({ accountId: 'a b' }), 'accounts[0].accountId', 'must be 1 to 128 letters'],
    [withAccount({ accountId: 7 }), 'accounts[0].accountId', 'must be a string'],
    [withAccount({ alias: '' }), 'accounts[0].alias', 'must be 1 to 128 printable characters'],
    [withAccount({ alias: LONG }), 'accounts[0].alias', 'must be 1 to 128 printable characters'],
    [withAccount({ alias: 'line\nbreak' }), 'accounts[0].alias', 'must be 1 to 128 printable characters'],
    [withAccount({ alias: 'right-to-left \u202e' }), 'accounts[0].alias', 'must be 1 to 128 printable characters'],
    [withAccount({ alias: 'half \ud83d' }), 'accounts[0].alias', 'must be 1 to 128 printable characters'],
    ...['\0', '\u001f', '\u007f', '\u0085', '\u009f', '\u2028', '\u2029', '\ue000'].map(
      (character) =>
        [
          withAccount({ alias: `a${character}b` }),
          'accounts[0].alias',
          'must be 1 to 128 printable characters',
        ] as const,
    ),
    [withAccount({ alias: '😀'.repeat(129) }), 'accounts[0].alias', 'must be 1 to 128 printable characters'],
    [withAccount({ status: 'inactive' }), 'accounts[0].status', 'must be one of active, disabled'],
    [withAccount({ environment: 'Test' }), 'accounts[0].environment', 'must be 1 to 32 lowercase letters, digits or -'],
    [withAccount({ algorithm: 'rsa' }), 'accounts[0].algorithm', 'must be one of ed25519, eip191'],
    [withAccount({ publicKey: '' }), 'accounts[0].publicKey', 'must be a public key'],
    [withAccount({ publicKey: 'with space' }), 'accounts[0].publicKey', 'must be a public key'],
    [withAccount({ createdAt: 'yesterday' }), 'accounts[0].createdAt', 'must be a UTC time such as 2026-11-20T'],
    [withAccount({ createdAt: '2026-11-20T00:00:00+01:00' }), 'accounts[0].createdAt', 'must be a UTC time'],
    [withAccount({ createdAt: '2026-02-30T00:00:00Z' }), 'accounts[0].createdAt', 'must be a UTC time'],
    [withAccount({ aliass: 'x' }), 'accounts[0].aliass', 'is an unknown field'],
    [withAccount({ key: undefined }), 'accounts[0].key', 'must be exactly one of {"sealed": …}'],
    [withAccount({ key: SECRET }), 'accounts[0].key', 'must be exactly one of {"sealed": …}'],
    [withAccount({ key: {} }), 'accounts[0].key', 'must be exactly one of {"sealed": …}'],
    [withAccount({ key: { file: 'a', plaintext: SECRET } }), 'accounts[0].key', 'must be exactly one of'],
    [withAccount({ key: { plain: SECRET } }), 'accounts[0].key', 'must be exactly one of'],
    [withAccount({ key: { plaintext: 5 } }), 'accounts[0].key.plaintext', 'must be a string'],
    [withAccount({ key: { plaintext: '' } }), 'accounts[0].key.plaintext', 'must not be empty'],
    [withAccount({ key: { file: '' } }), 'accounts[0].key.file', 'must be a file path'],
    [withAccount({ key: { file: 'a'.repeat(4097) } }), 'accounts[0].key.file', 'must be a file path'],
    [withAccount({ key: { file: 'a\0b' } }), 'accounts[0].key.file', 'must be a file path'],
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
    [{ ...RIGHT, platforms: [] }, 'accounts[0].platformId', 'is not the platformId of any platform'],
    [withAccount({ platformId: 'Alpha' }), 'accounts[0].platformId', 'is not the platformId of any platform'],
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
      'does not match the encoding of its platform: signatures of eip191 have a 0x prefix, which the encoding hex lacks; ' +
        'write "encoding": "0x-hex" for platform alpha, or omit encoding',
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
      { ...RIGHT, budgets: [BUDGET, BUDGET] },
      'budgets[1].name',
      'is a duplicate of budgets[0].name; remove one of them',
    ],
    ...['0', -1, 'many', '12345678901234'].map(
      (max) =>
        [
          { ...RIGHT, budgets: [{ ...BUDGET, max }] },
          'budgets[0].max',
          'must be a decimal of at least 1e-30 and below 1e31 with at most 13 digits, such as "50000"',
        ] as const,
    ),
    ...[0, 1.5, '60', 2_678_401].map(
      (windowSeconds) =>
        [
          { ...RIGHT, budgets: [{ ...BUDGET, windowSeconds }] },
          'budgets[0].windowSeconds',
          'must be an integer from 1 to 2678400 (31 days)',
        ] as const,
    ),
  ];
  for (const [content, path, message] of allIssues) {
    it(`reports that ${path || 'a document'} ${message}: ${JSON.stringify(content)?.slice(0, 60)}`, async () => {
      const matching = (await issues(content)).filter((issue) => issue.path === path);
      expect(matching.map((issue) => issue.message).join())
        .to.include(message)
        .and.match(/\(line \d+, column \d+\)$/);
    });
  }

  it('reports many duplicate accounts once, with their number and the first of them', async () => {
    const accounts = Array.from({ length: 200 }, (_, nth) => ({ ...ACCOUNT, accountId: `a${nth}` }));
    const [issue, ...others] = await issues({ ...RIGHT, accounts: [...accounts, ...accounts] });
    expect(others).to.deep.equal([]);
    expect(issue?.path).to.equal('accounts[200].accountId');
    expect(issue?.message).to.match(
      /^is a duplicate of an earlier .* \(200 of 400 accounts: alpha\/a0, alpha\/a1, alpha\/a2 and 197 more\) \(line /,
    );
  });

  it('accepts up to 64 audit.clear paths of up to 8 names of up to 64 characters', async () => {
    const longest = Array.from({ length: 8 }, () => 'x'.repeat(64)).join('.');
    const clear = ['amount', 'instruction.price', '_id', '0', 'client-order.ID_2', longest, ...NUMBERED.slice(0, 58)];
    const { content } = await read(withPlatform({ audit: { clear } }));
    expect(content.platforms[0]?.audit).to.deep.equal({ clear });
    await read(withPlatform({ audit: { clear: [] } }));
  });

  it('accepts a key file path of 4096 characters', async () => {
    await read(withAccount({ key: { file: 'a'.repeat(4096) } }));
  });

  it('allows an account id on two platforms', async () => {
    const second = { ...PLATFORM, platformId: 'beta' };
    await read({ version: 1, platforms: [PLATFORM, second], accounts: [ACCOUNT, { ...ACCOUNT, platformId: 'beta' }] });
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

  it('gives the line and column of the field, as an editor counts them', async () => {
    const text =
      '{\n  "version": 1,\n  "platforms": [\n    { "platformId": "alpha", "format": "Z" }\n  ],\n  "accounts": []\n}\n';
    expect(await issues(text)).to.deep.equal([
      { path: 'platforms[0].format', message: 'must be one of A, B, C, D, any (line 4, column 30)' },
    ]);
  });

  it('reports all issues of a file in order, up to 20', async () => {
    const three = {
      ...RIGHT,
      accounts: [
        { ...ACCOUNT, alias: '' },
        { ...ACCOUNT, status: 5 },
        { ...ACCOUNT, key: 5 },
      ],
    };
    expect((await issues(three)).map(({ path }) => path)).to.deep.equal([
      'accounts[0].alias',
      'accounts[1].status',
      'accounts[2].key',
    ]);
    const many = { ...RIGHT, accounts: Array.from({ length: 50 }, () => ({ ...ACCOUNT, alias: '' })) };
    const [first, ...others] = await issues(many);
    expect(first?.path).to.equal('accounts[0].alias');
    expect(first?.message).to.match(
      / \(50 of 50 accounts: alpha\/main, alpha\/main, alpha\/main and 47 more\) \(line 1/,
    );
    expect(others).to.deep.equal([]);
    const same = { ...RIGHT, accounts: Array.from({ length: 50 }, () => ACCOUNT) };
    expect(await issues(same)).to.have.lengthOf(1);
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
    const full = {
      version: 1,
      platforms: [
        {
          ...PLATFORM,
          algorithms: ['ed25519'],
          encoding: 'hex',
          payload: { rule: 'jcs', field: 'x' },
          audit: { clear: ['x', 'y.z'] },
        },
        {
          platformId: 'beta',
          format: 'any',
          payload: {
            rule: 'prehash',
            template: '{timestamp}{account.apiKey}{account.window}{query}{body}',
            separator: ' ',
            timestamp: 'ms',
            query: { sort: true, encode: 'none' },
            values: { window: '5000' },
          },
          secretDecoding: 'hex',
          verify: { mac: true },
        },
        {
          platformId: 'gamma',
          format: 'any',
          payload: {
            rule: 'query',
            prefix: '{data.x}',
            suffix: '|',
            typedData: { domain, primaryType: 'Message', member: 'msg' },
          },
        },
        { platformId: 'delta', format: 'any', payload: { rule: 'typed-data', domain } },
      ],
      accounts: [
        { ...ACCOUNT, alias: 'x', status: 'active', environment: 'e', publicKey: 'x', key: { plaintext: 'x' } },
        { ...ACCOUNT, platformId: 'beta', algorithm: 'hmac-sha256', values: { apiKey: 'x' } },
      ],
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
      { numRuns: 150 },
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
      { numRuns: 200 },
    );
  });

  it('reads 20,000 accounts', async () => {
    const accounts = Array.from({ length: 20_000 }, (_, index) => ({ ...ACCOUNT, accountId: `account-${index}` }));
    expect((await read({ ...RIGHT, accounts })).content.accounts).to.have.lengthOf(20_000);
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
