import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { expect } from 'chai';
import { encryptKeystoreJsonSync, HDNodeWallet, hexlify, Wallet } from 'ethers';
import { samplePrivateKey } from '../doubles/credential-builder.ts';
import { commandInProcess, terminalOf } from '../harness/command-in-process.ts';
import { Workplace } from '../harness/service-process.ts';
import { whileServing } from '../harness/start-here.ts';

const SECRET = 'hmac-secret-of-the-desk';
const HOT = new Wallet(hexlify(samplePrivateKey(7)));
const ED_KEY = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
/** RFC 8032 §7.1, test 1, in base58. */
const ED_PUBLIC_KEY = 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z';

describe('account import', () => {
  /** Three platforms, no account. */
  const model = new Workplace();
  let place: Workplace;

  before(async () => {
    await model.prepare('init');
    await model.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any', '--algorithm', 'ed25519');
    await model.prepare('platform', 'add', '--preset', 'bybit');
    await model.prepare('platform', 'add', '--platform', 'treasury', '--format', 'B');
    await mkdir(model.path('keys'));
    writeFileSync(model.path('keys/ed.hex'), `${ED_KEY}\n`);
    writeFileSync(model.path('keys/bybit'), `${SECRET}\n`);
    writeFileSync(model.path('keys/hot'), HOT.privateKey);
  });
  after(() => model.remove());

  function setUp(): void {
    place = new Workplace();
    cpSync(model.folder, place.folder, { recursive: true });
  }

  const credentials = (): string => readFileSync(place.path('credentials.json'), 'utf8');
  const digest = (): string => createHash('sha256').update(credentials()).digest('hex');

  function write(name: string, content: string | object): string {
    writeFileSync(place.path(name), typeof content === 'string' ? content : JSON.stringify(content));
    return place.path(name);
  }

  async function imported(content: string | object, ...options: readonly string[]) {
    const ended = await place.commandHere('account', 'import', write('accounts', content), ...options, '--json');
    return { ...ended, document: ended.stdout === '' ? null : JSON.parse(ended.stdout) };
  }

  /** Issues as `line field message`; checks that nothing changed. */
  async function issuesOf(content: string | object, ...options: readonly string[]): Promise<readonly string[]> {
    const before = digest();
    const { document, exitCode } = await imported(content, ...options);
    expect(exitCode).to.equal(2);
    expect(document).to.deep.include({ imported: 0, accounts: [], skipped: [] });
    expect(digest()).to.equal(before);
    return document.faults.map(
      ({ line, field, message }: { line: number; field: string; message: string }) => `${line} ${field} ${message}`,
    );
  }

  const listed = async () => JSON.parse((await place.commandHere('account', 'list', '--json')).stdout).accounts;

  const CSV = [
    'platformId,accountId,algorithm,alias,environment,status,keyFile,keyFormat,passwordFile,values.apiKey',
    'alpha,one,ed25519,"One, ""the first""",testnet,disabled,keys/ed.hex,hex,,',
    'bybit,main,,,,,keys/bybit,,,PUBLIC-API-KEY',
    'treasury,hot,,Hot wallet,,active,keys/hot,,,',
    'alpha,made,,,,,,,,',
    '',
  ].join('\n');
  const JSON_ROWS = [
    {
      ...{ platformId: 'alpha', accountId: 'one', algorithm: 'ed25519', alias: 'One, "the first"' },
      ...{ environment: 'testnet', status: 'disabled', keyFile: 'keys/ed.hex', keyFormat: 'hex' },
    },
    { platformId: 'bybit', accountId: 'main', keyFile: 'keys/bybit', values: { apiKey: 'PUBLIC-API-KEY' } },
    { platformId: 'treasury', accountId: 'hot', alias: 'Hot wallet', status: 'active', keyFile: 'keys/hot' },
    { platformId: 'alpha', accountId: 'made', alias: null },
  ];

  describe('of a valid file', () => {
    beforeEach(setUp);
    afterEach(() => place.remove());

    for (const [form, content] of [
      ['CSV with a byte order mark and line ends of Windows', `\ufeff${CSV.replaceAll('\n', '\r\n')}`],
      [
        'CSV with semicolons',
        CSV.replace('"One, ""the first"""', "'One'").replaceAll(',', ';').replace("'One'", '"One, ""the first"""'),
      ],
      ['a JSON array', JSON_ROWS],
      ['a JSON object with accounts', { accounts: JSON_ROWS }],
    ] as const) {
      it(`adds accounts of many platforms from ${form}, with keys from files or generated`, async () => {
        const { document, exitCode, stderr } = await imported(content);
        expect([exitCode, stderr]).to.deep.equal([0, '']);
        const accounts = await listed();
        expect(document.imported).to.equal(4);
        expect(document.faults).to.deep.equal([]);
        const shown = accounts.map(({ key: _, ...account }: { key: object }) => account);
        expect(document.accounts.map(({ row, ...account }: { row: number }) => account)).to.deep.equal(shown);
        const [one, main, hot, made] = accounts;
        expect(one).to.deep.include({
          ...{ platformId: 'alpha', accountId: 'one', algorithm: 'ed25519', alias: 'One, "the first"' },
          ...{ environment: 'testnet', status: 'disabled', publicKey: ED_PUBLIC_KEY },
        });
        expect(main).to.deep.include({ algorithm: 'hmac-sha256', alias: 'main', values: { apiKey: 'PUBLIC-API-KEY' } });
        expect(hot).to.deep.include({ algorithm: 'eip191', publicKey: HOT.signingKey.publicKey, address: HOT.address });
        expect(made).to.deep.include({ alias: 'made', environment: 'production', status: 'active' });
        expect(document.keyFiles).to.deep.equal(
          ['keys/ed.hex', 'keys/bybit', 'keys/hot'].map((file) => place.path(file)),
        );
        for (const secret of [ED_KEY, SECRET, HOT.privateKey.slice(2)]) {
          expect(credentials()).to.not.include(secret);
          expect(JSON.stringify(document)).to.not.include(secret);
        }
      });
    }

    it('resolves keystore and password paths relative to the import file', async () => {
      const [account, password] = [{ address: HOT.address, privateKey: HOT.privateKey }, 'correct horse'];
      writeFileSync(place.path('keys/utc.json'), encryptKeystoreJsonSync(account, password, { scrypt: { N: 2 } }));
      writeFileSync(place.path('keys/utc.password'), `${password}\n`);
      const { document } = await imported(
        'platformId,accountId,keyFile,passwordFile\ntreasury,hot,keys/utc.json,keys/utc.password\n',
      );
      expect(document.faults).to.deep.equal([]);
      expect(document.accounts[0]).to.deep.include({ address: HOT.address });
    });

    it('derives a key from a mnemonic by its path, relative to the import file', async () => {
      const phrase = 'test test test test test test test test test test test junk';
      writeFileSync(place.path('keys/words'), `${phrase}\n`);
      const { document } = await imported(
        "platformId,accountId,keyFile,keyFormat,derivationPath\ntreasury,hot,keys/words,mnemonic,m/44'/60'/0'/0/1\n",
      );
      expect(document.faults).to.deep.equal([]);
      const { address } = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0/1");
      expect(document.accounts[0]).to.deep.include({ address });
    });

    it('adds accounts that the service can sign with', async () => {
      await imported(CSV);
      const statuses = await whileServing(place, async ({ url }) => {
        const sign = async (platformId: string, accountId: string, data: object) => {
          const headers = { 'Content-Type': 'application/json' };
          const body = JSON.stringify({ platformId, accountId, data });
          const response = await fetch(`${url}/api/v1/sign`, { method: 'POST', headers, body });
          await response.text();
          return response.status;
        };
        return [
          await sign('alpha', 'made', { a: '1' }),
          await sign('alpha', 'one', { a: '1' }),
          await sign('treasury', 'hot', { message: 'verbatim' }),
        ];
      });
      expect(statuses).to.deep.equal([200, 423, 200]);
    });

    it('reports the result and next steps, and no progress in a pipe', async () => {
      const file = write('accounts.csv', CSV);
      const args = ['account', 'import', file, '--no-color'];
      const { stdout, exitCode } = await commandInProcess(place.environment, args, terminalOf(100));
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(/^4 accounts added to /);
      expect(stdout).to.match(/\nPLATFORM +ACCOUNT +ALIAS +STATUS .*\nalpha +one +.* disabled +/);
      expect(stdout.replaceAll('\n', ' ')).to.include('Delete the 3 key files listed in').and.include('SIGHUP');
      const piped = await place.commandHere('account', 'import', file, '--skip-existing');
      expect(piped.stderr).to.equal('');
      expect(piped.stdout).to.match(/^0 accounts added to \S+ Skipped because they already exist: 4 accounts\.\n$/);
    });

    it('checks everything and changes nothing with --dry-run', async () => {
      const before = digest();
      const { document, exitCode } = await imported(CSV, '--dry-run');
      expect(exitCode).to.equal(0);
      expect(document).to.deep.include({ dryRun: true, imported: 0, faults: [] });
      expect(document.accounts.map(({ publicKey }: { publicKey: string | null }) => publicKey === null)).to.deep.equal([
        ...[false, false, false, true],
      ]);
      const { stdout } = await place.commandHere('account', 'import', place.path('accounts'), '--dry-run');
      expect(stdout)
        .to.include('4 accounts would be added')
        .and.include('(generated on import)')
        .and.include('Nothing was changed');
      expect(digest()).to.equal(before);
      expect(await issuesOf(`${CSV}alpha,one,,,,,nowhere,,,\n`, '--dry-run')).to.have.lengthOf(2);
    });

    it('rejects existing accounts, or leaves them unchanged with --skip-existing', async () => {
      await imported(CSV);
      const before = await listed();
      const more = `${CSV}alpha,new,,,,,,,,\n`;
      const issues = await issuesOf(more);
      expect(issues).to.have.lengthOf(4);
      expect(issues[0]).to.equal('2 accountId already exists on its platform');
      const text = await place.commandHere('account', 'import', place.path('accounts'));
      expect(text.stderr).to.include('To skip existing accounts, use --skip-existing.');
      const { document } = await imported(more, '--skip-existing');
      expect(document.imported).to.equal(1);
      expect(
        document.skipped.map(({ row, accountId }: { row: number; accountId: string }) => `${row} ${accountId}`),
      ).to.deep.equal(['1 one', '2 main', '3 hot', '4 made']);
      expect((await listed()).slice(0, 4)).to.deep.equal(before);
    });

    for (const [what, end] of [
      ['an empty line', '\n'],
      ['fewer delimiters', ' , \r\n'],
    ]) {
      it(`accepts a last line of ${what}`, async () => {
        const { document } = await imported(`platformId,accountId,keyFile\nalpha,a,\n${end}`, '--dry-run');
        expect([document.faults, document.accounts.length]).to.deep.equal([[], 1]);
      });
    }

    it('accepts last columns without any content', async () => {
      const { document } = await imported('platformId,accountId,,\nalpha,a,,\nalpha,b,,\n', '--dry-run');
      expect([document.faults, document.accounts.length]).to.deep.equal([[], 2]);
    });

    it('warns about a key used by two algorithms, existing or in the same file', async () => {
      await place.prepare('platform', 'add', '--platform', 'typed', '--format', 'any', '--rule', 'typed-data');
      const { document } = await imported('platformId,accountId,keyFile\ntreasury,hot,keys/hot\ntyped,hot,keys/hot\n');
      expect(document.cautions).to.have.lengthOf(1);
      expect(document.cautions[0]).to.include('typed/hot: its key is also used by treasury/hot (eip191)');
      expect(document.keyFiles).to.have.lengthOf(1);
    });

    for (const form of ['csv', 'json']) {
      it(`prints a ${form} template that is valid once its platforms and key files exist`, async () => {
        const { stdout, exitCode } = await place.commandHere('account', 'import', '--template', form);
        expect(exitCode).to.equal(0);
        await place.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
        const issues = await issuesOf(stdout);
        expect(issues).to.have.lengthOf(2);
        expect(issues.every((issue) => issue.includes('keyFile does not exist'))).to.equal(true);
      });
    }
  });

  describe('of an invalid file', () => {
    before(setUp);
    after(() => place.remove());

    it('reports every issue with line and field, and adds none of the valid accounts', async () => {
      const rows = [
        'alpha,good,,,,,,,,',
        'alpha,../bad,,"a\nb",Production,,,,,',
        ',,,,,,,,,',
        'omega,x,,,,,,,,',
        'alpha,y,eip191,,,asleep,,,,',
        'alpha,y,rsa,,,,,hex,,',
        'alpha,good,,,,,,hex,,z',
        'bybit,z,,,,,,,,',
        'alpha,w,,,,,keys/none,,,',
        'alpha,v,,,,,keys/bybit,,,',
        'treasury,u,,,,,keys/hot,hex,keys/password,',
      ];
      const issues = await issuesOf([CSV.split('\n')[0], ...rows, ''].join('\n'));
      const places = issues.map((issue) => issue.split(' ').slice(0, 2).join(' '));
      expect(places).to.have.members([
        ...['4 accountId', '4 alias', '4 environment', '6 platformId', '7 status'],
        ...['8 algorithm', '9 accountId', '9 keyFormat', '9 values.apiKey', '10 keyFile', '10 values.apiKey'],
        ...['11 keyFile', '12 keyFile', '13 keyFile'],
      ]);
      expect(places.map(Number.parseFloat)).to.deep.equal(places.map(Number.parseFloat).toSorted((a, b) => a - b));
      const { stderr, stdout, exitCode } = await place.commandHere('account', 'import', place.path('accounts'));
      expect([stdout, exitCode]).to.deep.equal(['', 2]);
      expect(stderr).to.match(
        /^error: \S+accounts: 14 issues; nothing was changed\.\n {2}row 2, line 4, accountId must be 1 to 128/,
      );
      expect(stderr).to.not.match(/^\s+at /m);
    });

    it('reports lines and fields of JSON', async () => {
      const text = `[
  { "platformId": "alpha", "accountId": 7 },
  { "platformId": "alpha", "accountId": "a",
    "alais": "A" },
  "alpha",
  { "platformId": "alpha", "accountId": "b", "accountId": "c" },
  { "platformId": "bybit", "accountId": "d", "keyFile": "keys/bybit", "values": { "apiKey": "x", "1st": "y", "n": 1 } }
]`;
      expect(await issuesOf(text)).to.deep.equal([
        '2 accountId must be a string',
        '3 alais is an unknown field; did you mean alias?',
        '5 null must be an object',
        '6 null has a duplicate field',
        '7 values has an invalid name: use 1 to 32 letters, digits or _ beginning with a letter',
        '7 values.n must be a string',
      ]);
    });

    it('names row and account of each issue, also of JSON in one line', async () => {
      const rows = [
        { platformId: 'alpha', accountId: 'good' },
        { platformId: 'alpha', accountId: 'a', status: 'asleep' },
        { platformId: 'alpha', accountId: ED_KEY },
        { platformId: 'omega', accountId: 'b' },
      ];
      const file = write('one-line.json', JSON.stringify(rows));
      const { stderr } = await place.commandHere('account', 'import', file);
      const places = stderr.split('\n').map((line) => /^ {2}(.* line 1, \w+) /.exec(line)?.[1]);
      expect(places.filter((place) => place !== undefined)).to.deep.equal([
        'row 2 (alpha/a), line 1, status',
        'row 3, line 1, accountId',
        'row 4 (omega/b), line 1, platformId',
      ]);
    });

    it('rejects a file without accounts', async () => {
      const wrong: readonly (readonly [string | object, string])[] = [
        ['', 'null null has no header line'],
        ['{"platforms": []}', 'null null must be a JSON array of accounts, or an object with one as "accounts"'],
        ['[{"platformId": "alpha",}]', '1 null is not valid JSON'],
        [
          'platformId,accountId\nalpha,"a"b\n',
          '2 null is not valid CSV: close each quote, and double quotes within quotes',
        ],
        ['platformId,accountId\nalpha\n', '2 null has 1 cell, but the header has 2'],
        ['platformId,accountId,accountId\n', '1 null has a duplicate column'],
        ['platformId,acountId\n', '1 acountId is an unknown field; did you mean accountId?'],
        [`${'['.repeat(200_000)}`, 'null null is nested too deeply'],
      ];
      for (const [content, issue] of wrong) expect((await issuesOf(content))[0], issue).to.equal(issue);
      for (const [file, reason] of [
        ['/dev/zero', 'exceeds 64 MiB. Split it.'],
        [place.path('none.csv'), 'cannot be read (ENOENT)'],
        [place.folder, 'cannot be read (EISDIR)'],
      ] as const) {
        const { stderr, exitCode } = await place.commandHere('account', 'import', file);
        expect(exitCode).to.equal(2);
        expect(stderr).to.include(reason);
      }
      writeFileSync(place.path('latin1.csv'), Buffer.from('platformId,accountId,alias\nalpha,a,M\xfcller\n', 'latin1'));
      expect((await place.commandHere('account', 'import', place.path('latin1.csv'))).stderr).to.include(
        'is not valid UTF-8. Save it as UTF-8.',
      );
    });

    describe('a key in the file', () => {
      const explanation = 'an import file must not contain keys';
      const pem = '"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v\n-----END PRIVATE KEY-----"';
      const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

      for (const column of ['privateKey', 'seed_phrase', 'mnemonic']) {
        it(`is rejected in the column ${column}, with an explanation and without its value`, async () => {
          const [issue = '', ...more] = await issuesOf(`platformId,accountId,${column}\nalpha,a,${ED_KEY}\n`);
          expect(more).to.deep.equal([]);
          expect(issue).to.include(`1 ${column} `).and.include(explanation);
        });
      }

      for (const [name, key] of [
        ['hex', ED_KEY],
        ['base58', '4Z7cXSyeFR8wNGMVXUE1TwtKn5D5Vu7FzEv69dokLv7KrQk7h6pu4LF8ZRR9yQBhc7uSM6RTTZtU1fmaxiNrxXrs'],
        ['base64', Buffer.from(ED_KEY, 'hex').toString('base64')],
        ['PEM', pem],
        ['a list of bytes', '"[157,97,177,157]"'],
        ['the words of a wallet', words],
      ] as const) {
        it(`is rejected in a cell, without showing it: ${name}`, async () => {
          const columns = ['accountId', 'alias', 'keyFile'];
          const rows = columns.map((column, index) =>
            ['alpha', `a${index}`, '', ''].with(1 + columns.indexOf(column), key).join(),
          );
          const issues = await issuesOf(`platformId,${columns.join()}\n${rows.join('\n')}\n`);
          const found = issues.filter((issue) => issue.includes(explanation));
          expect(found).to.have.lengthOf(columns.length);
          for (const [index, column] of columns.entries()) {
            expect(found[index]).to.include(` ${column} looks like a key: ${explanation}`);
          }
          const text = await place.commandHere('account', 'import', place.path('accounts'));
          for (const output of [issues.join(), text.stderr, text.stdout]) {
            expect(output).to.not.include(key.replaceAll('"', '').split('\n').at(1) ?? key.replaceAll('"', ''));
          }
        });
      }

      it('is rejected as a value, without showing it', async () => {
        const [issue, ...more] = await issuesOf(
          `platformId,accountId,keyFile,values.apiKey\nbybit,a,keys/bybit,${pem}\n`,
        );
        expect(more).to.deep.equal([]);
        expect(issue).to.include(` values.apiKey looks like a key: ${explanation}`);
      });

      it('is not shown if taken for a missing path or a column name', async () => {
        const short = 'sk_live_51H8xYzSecret';
        expect((await issuesOf(`platformId,accountId,keyFile\nalpha,a,${short}\n`)).join()).to.not.include(short);
        const column = `${ED_KEY}`;
        expect((await issuesOf(`platformId,accountId,${column}\nalpha,a,b\n`)).join()).to.not.include(column);
        const secret = 'AbCdEfGh12345678IjKlMnOp87654321';
        const issues = await issuesOf(`bybit,main,hmac-sha256,${secret}\n`);
        expect(issues.join()).to.include('1 null has an unknown field; known fields are platformId, accountId');
        expect(issues.join()).to.not.include(secret);
      });
    });
  });
});
