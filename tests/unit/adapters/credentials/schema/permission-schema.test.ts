import { expect } from 'chai';
import { readCredentialsFile } from '../../../../../src/adapters/credentials/credentials-file.ts';
import { permissionsSchema } from '../../../../../src/adapters/credentials/schema/permission-schema.ts';
import { IDENTIFIER_PATTERN } from '../../../../../src/domain/model/account.ts';
import { isPrincipal } from '../../../../../src/domain/model/authentication.ts';
import { CredentialLoadError } from '../../../../../src/domain/model/errors.ts';
import { OPERATIONS, type PermissionEntry } from '../../../../../src/domain/model/permissions.ts';
import { rejection, useWorkplace } from '../credentials-workplace.ts';

const ENTRY = { principals: ['bot-*'], accounts: ['alpha/main'], operations: ['sign'] };

/** Distinct texts. */
const many = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, at) => text(at));

describe('permissions in the credentials file', () => {
  const workplace = useWorkplace();

  function write(permissions: unknown): void {
    workplace().write({ version: 1, platforms: [], accounts: [], permissions });
  }

  async function read(permissions: unknown): Promise<readonly PermissionEntry[] | undefined> {
    write(permissions);
    return (await readCredentialsFile(workplace().file)).content.permissions;
  }

  /** Issues of a list, as `path message`. */
  async function findIssues(permissions: unknown): Promise<readonly string[]> {
    write(permissions);
    const error = await rejection(readCredentialsFile(workplace().file));
    expect(error).to.be.instanceOf(CredentialLoadError);
    return (error as CredentialLoadError).issues.map(({ path, message }) => `${path} ${message}`);
  }

  it('may be omitted or empty, which is not the same', async () => {
    expect(await read(undefined)).to.equal(undefined);
    expect(await read([])).to.deep.equal([]);
  });

  it('keep principals, accounts and operations as written', async () => {
    const entries = [
      ENTRY,
      { principals: ['anonymous', '*', 'CN=Desk 7,OU=Trading'], accounts: ['*/*', 'beta/a*b'], operations: ['*'] },
      { principals: ['ops'], operations: ['reload', 'status'] },
      { principals: ['ops'], accounts: ['*/*'], operations: [...OPERATIONS] },
    ];
    expect(await read(entries)).to.deep.equal(entries);
  });

  it('may name accounts and platforms that do not exist yet', async () => {
    const entries = [{ ...ENTRY, accounts: ['none/main', 'none/*'] }];
    expect(await read(entries)).to.deep.equal(entries);
  });

  it('are accepted at their maximum sizes', async () => {
    const long = [{ ...ENTRY, principals: ['x'.repeat(256)], accounts: [`${'p'.repeat(128)}/${'a'.repeat(128)}`] }];
    expect(await read(long)).to.deep.equal(long);
    const wide = [{ ...ENTRY, principals: many(256, (at) => `p${at}`), accounts: many(4096, (at) => `a/${at}`) }];
    expect(await read(wide)).to.deep.equal(wide);
    const deep = many(4096, (at) => `p${at}`).map((principal) => ({ ...ENTRY, principals: [principal] }));
    expect(await read(deep)).to.have.length(4096);
  });

  for (const [what, list, expected] of [
    ['that are no list', {}, /^permissions must be an array/],
    ['with an invalid entry', [null], /^permissions\[0\] must be an object/],
    ['with an entry of nothing', [{}], /^permissions\[0\]\.principals is required/],
    [
      'with a field that is not known',
      [{ ...ENTRY, acounts: ['a/b'] }],
      /^permissions\[0\]\.acounts is an unknown field/,
    ],
    ['without operations', [{ ...ENTRY, operations: undefined }], /^permissions\[0\]\.operations is required/],
    ['with no operation', [{ ...ENTRY, operations: [] }], /^permissions\[0\]\.operations must name at least one/],
    [
      'with an operation that is not known',
      [ENTRY, { ...ENTRY, operations: ['verify', 'withdraw'] }],
      /^permissions\[1\]\.operations\[1\] must be one of sign, verify, read, reload, status, \* \(line \d+, column \d+\)$/,
    ],
    ['with an operation in other letters', [{ ...ENTRY, operations: ['Sign'] }], /operations\[0\] must be one of/],
    ['with an operation twice', [{ ...ENTRY, operations: ['sign', 'sign'] }], /operations must not have duplicates/],
    ['with all operations and another', [{ ...ENTRY, operations: ['*', 'sign'] }], /operations must be \["\*"\] alone/],
    ['with no principal', [{ ...ENTRY, principals: [] }], /principals must name at least one principal/],
    ['with a principal twice', [{ ...ENTRY, principals: ['a', 'b', 'a'] }], /principals must not have duplicates/],
    ['with a principal that is empty', [{ ...ENTRY, principals: [''] }], /principals\[0\] must be 1 to 256 letters/],
    ['with too long a principal', [{ ...ENTRY, principals: ['x'.repeat(257)] }], /principals\[0\] must be 1 to 256/],
    ['with a principal that nobody can be', [{ ...ENTRY, principals: ['a"b'] }], /principals\[0\] must be 1 to 256/],
    ['with a line feed behind a principal', [{ ...ENTRY, principals: ['a\n'] }], /principals\[0\] must be 1 to 256/],
    ['with a principal that is no text', [{ ...ENTRY, principals: [7] }], /principals\[0\] must be a string/],
    ['with no account', [{ ...ENTRY, accounts: [] }], /accounts must name at least one account/],
    ['with an account twice', [{ ...ENTRY, accounts: ['a/b', 'a/b'] }], /accounts must not have duplicates/],
    [
      'with a star for both ids',
      [{ ...ENTRY, accounts: ['*'] }],
      /accounts\[0\] must be platformId\/accountId.*\*\/\*/,
    ],
    ['with a platform alone', [{ ...ENTRY, accounts: ['alpha'] }], /accounts\[0\] must be platformId\/accountId/],
    ['with a platform and no account', [{ ...ENTRY, accounts: ['alpha/'] }], /accounts\[0\] must be platformId/],
    ['with two slashes', [{ ...ENTRY, accounts: ['alpha/a/b'] }], /accounts\[0\] must be platformId/],
    ['with too long an id', [{ ...ENTRY, accounts: [`a/${'b'.repeat(129)}`] }], /accounts\[0\] must be platformId/],
    ['with an id that no account has', [{ ...ENTRY, accounts: ['alpha/ma in'] }], /accounts\[0\] must be platformId/],
    [
      'to sign, without accounts',
      [{ principals: ['a'], operations: ['sign'] }],
      /permissions\[0\]\.accounts is missing: sign/,
    ],
    [
      'to do all, without accounts',
      [{ principals: ['a'], operations: ['*'] }],
      /permissions\[0\]\.accounts is missing/,
    ],
    [
      'to read and reload, without accounts',
      [{ principals: ['a'], operations: ['reload', 'read'] }],
      /permissions\[0\]\.accounts is missing/,
    ],
    [
      'to reload, with accounts',
      [{ ...ENTRY, operations: ['reload', 'status'] }],
      /permissions\[0\]\.accounts has no effect, because reload and status concern no account/,
    ],
    [
      'with too many entries',
      many(4097, (at) => `p${at}`).map((name) => ({ ...ENTRY, principals: [name] })),
      /at most 4096/,
    ],
    ['with too many principals', [{ ...ENTRY, principals: many(257, (at) => `p${at}`) }], /at most 256 principals/],
    ['with too many accounts', [{ ...ENTRY, accounts: many(4097, (at) => `a/${at}`) }], /at most 4096 accounts/],
    [
      'with too much in all',
      many(17, (at) => `p${at}`).map((name) => ({
        ...ENTRY,
        principals: [name],
        accounts: many(4000, (at) => `a/${at}`),
      })),
      /^permissions must name at most 65536 principals and accounts in total/,
    ],
  ] as const) {
    it(`are rejected ${what}, with line and column`, async () => {
      const [first, ...more] = await findIssues(list);
      expect(first)
        .to.match(expected)
        .and.to.match(/\(line \d+, column \d+\)$/);
      if (what !== 'with an entry of nothing') expect(more).to.deep.equal([]);
    });
  }

  it('accept exactly the valid principals and ids, apart from wildcards', () => {
    const takes = (change: object) => permissionsSchema.safeParse([{ ...ENTRY, ...change }]).success;
    for (let code = 0; code < 256; code += 1) {
      const character = String.fromCharCode(code);
      if (character === '*' || character === '/') continue;
      for (const text of [character, `a${character}`, `a${character}b`]) {
        expect(takes({ principals: [text] }), JSON.stringify(text)).to.equal(isPrincipal(text));
        const isId = IDENTIFIER_PATTERN.test(text);
        expect(takes({ accounts: [`${text}/main`] }), JSON.stringify(text)).to.equal(isId);
        expect(takes({ accounts: [`alpha/${text}`] }), JSON.stringify(text)).to.equal(isId);
      }
    }
    expect(takes({ principals: ['a/b'] })).to.equal(isPrincipal('a/b'));
  });

  it('are rejected with duplicate entries, in any order', async () => {
    const both = { principals: ['a', 'b'], accounts: ['x/1', 'x/2'], operations: ['sign', 'read'] };
    const again = { principals: ['b', 'a'], accounts: ['x/2', 'x/1'], operations: ['read', 'sign'] };
    const [issue, ...more] = await findIssues([both, ENTRY, again]);
    expect(issue).to.match(/^permissions\[2\] is a duplicate of permissions\[0\]; remove one of them \(line \d+/);
    expect(more).to.deep.equal([]);
  });

  it('are rejected without quoting the file', async () => {
    const secret = `4f3edf983ac636a6${'"'}5a842ce7c78d9aa7`;
    for (const change of [
      { principals: [secret] },
      { accounts: [secret] },
      { operations: [secret] },
      { [secret]: 1 },
    ]) {
      expect((await findIssues([{ ...ENTRY, ...change }])).join()).to.not.include('4f3edf98');
    }
  });
});
