import { expect } from 'chai';
import { readCredentialsFile } from '../../../../src/adapters/credentials/credentials-file.ts';
import { permissionsSchema } from '../../../../src/domain/configuration/permission-schema.ts';
import { IDENTIFIER_PATTERN } from '../../../../src/domain/model/account.ts';
import { isPrincipal } from '../../../../src/domain/model/authentication.ts';
import { CredentialLoadError } from '../../../../src/domain/model/errors.ts';
import { OPERATIONS } from '../../../../src/domain/model/operations.ts';
import type { PermissionEntry } from '../../../../src/domain/model/permissions.ts';
import { rejection, useWorkplace } from '../../adapters/credentials/credentials-workplace.ts';

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

  it('are kept as written; omitted and empty is not the same', async () => {
    const entries = [
      ENTRY,
      { principals: ['anonymous', '*', 'CN=Desk 7,OU=Trading'], accounts: ['*/*', 'beta/a*b'], operations: ['*'] },
      { principals: ['ops'], operations: ['reload', 'status'] },
      { principals: ['ops'], accounts: ['none/main'], operations: [...OPERATIONS] },
    ];
    for (const list of [entries, [], undefined]) expect(await read(list)).to.deep.equal(list);
  });

  it('are accepted at their maximum sizes', async () => {
    const long = [{ ...ENTRY, principals: ['x'.repeat(256)], accounts: [`${'p'.repeat(128)}/${'a'.repeat(128)}`] }];
    expect(await read(long)).to.deep.equal(long);
    const wide = [{ ...ENTRY, principals: many(256, (at) => `p${at}`), accounts: many(4096, (at) => `a/${at}`) }];
    expect(await read(wide)).to.deep.equal(wide);
    const deep = many(4096, (at) => `p${at}`).map((principal) => ({ ...ENTRY, principals: [principal] }));
    expect(await read(deep)).to.have.length(4096);
  });

  const cases: readonly (readonly [list: unknown, issue: string])[] = [
    [{}, 'permissions must be an array'],
    [[{ ...ENTRY, acounts: ['a/b'] }], 'permissions[0].acounts is an unknown field'],
    [[{ ...ENTRY, operations: [] }], 'permissions[0].operations must name at least one'],
    [
      [ENTRY, { ...ENTRY, operations: ['verify', 'withdraw'] }],
      `permissions[1].operations[1] must be one of ${OPERATIONS.join(', ')}, * (line`,
    ],
    [[{ ...ENTRY, operations: ['sign', 'sign'] }], 'permissions[0].operations must not have duplicates'],
    [[{ ...ENTRY, operations: ['*', 'sign'] }], 'permissions[0].operations must be ["*"] alone'],
    [[{ ...ENTRY, principals: [] }], 'permissions[0].principals must name at least one principal'],
    [[{ ...ENTRY, principals: ['a', 'b', 'a'] }], 'permissions[0].principals must not have duplicates'],
    [[{ ...ENTRY, principals: ['x'.repeat(257)] }], 'permissions[0].principals[0] must be 1 to 256'],
    [[{ ...ENTRY, accounts: [] }], 'permissions[0].accounts must name at least one account'],
    [[{ ...ENTRY, accounts: ['a/b', 'a/b'] }], 'permissions[0].accounts must not have duplicates'],
    [[{ ...ENTRY, principals: ['a\n'] }], 'permissions[0].principals[0] must be 1 to 256'],
    [[{ ...ENTRY, principals: many(257, (at) => `p${at}`) }], 'permissions[0].principals must name at most 256'],
    [[{ ...ENTRY, accounts: ['alpha/a/b'] }], 'permissions[0].accounts[0] must be platformId/accountId'],
    [[{ ...ENTRY, accounts: [`a/${'b'.repeat(129)}`] }], 'permissions[0].accounts[0] must be platformId/accountId'],
    [[{ ...ENTRY, accounts: many(4097, (at) => `a/${at}`) }], 'permissions[0].accounts must name at most 4096'],
    [[{ principals: ['a'], operations: ['*'] }], 'permissions[0].accounts is missing: sign'],
    [
      [{ ...ENTRY, operations: ['reload', 'status'] }],
      'permissions[0].accounts has no effect, because reload and status concern no account',
    ],
    [many(4097, (at) => `p${at}`).map((name) => ({ ...ENTRY, principals: [name] })), 'permissions must have at most'],
    [
      many(17, (at) => `p${at}`).map((name) => ({
        ...ENTRY,
        principals: [name],
        accounts: many(4000, (at) => `a/${at}`),
      })),
      'permissions must name at most 65536 principals and accounts in total',
    ],
  ];
  for (const [list, issue] of cases) {
    it(`are rejected if ${issue}`, async () => {
      const [first, ...more] = await findIssues(list);
      expect(first?.slice(0, issue.length)).to.equal(issue);
      expect(first).to.match(/\(line \d+, column \d+\)$/);
      expect(more).to.deep.equal([]);
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
});
