import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';

const LIST: readonly PermissionEntry[] = [
  { principals: ['bot-*'], accounts: ['alpha/*'], operations: ['sign'] },
  { principals: ['ops'], operations: ['reload'] },
  { principals: ['bot-7', 'anonymous'], accounts: ['*/main'], operations: ['*'] },
];

const IDS = ['--platform', 'alpha', '--account', 'main'];
const SIGN = ['--operation', 'sign', ...IDS];

describe('permission', () => {
  const place = useWorkplace(ALPHA);
  const run = (...args: readonly string[]) => place.commandHere('permission', ...args);
  const file = () => place.path('credentials.json');
  const read = () => JSON.parse(readFileSync(file(), 'utf8'));
  const write = (permissions: readonly PermissionEntry[] | undefined) =>
    writeFileSync(file(), JSON.stringify({ ...read(), permissions }));

  describe('check', () => {
    before(() => write(LIST));

    for (const [args, text] of [
      [['--principal', 'bot-8', ...SIGN], 'yes: allowed by permissions[0]'],
      [['--principal', 'bot-7', ...SIGN], 'yes: allowed by permissions[0], permissions[2]'],
      [['--anonymous', '--operation', 'read', ...IDS], 'yes: allowed by permissions[2]'],
      [['--principal', 'ops', '--operation', 'reload'], 'yes: allowed by permissions[1]'],
      [
        ['--principal', 'bot-8', '--operation', 'sign', ...IDS.with(-1, 'mian')],
        'yes: allowed by permissions[0]\nThe account does not exist in the credentials file.',
      ],
    ] as const) {
      it(`names which entries allow it: ${args.join(' ')}`, async () => {
        const { stdout, exitCode } = await run('check', ...args);
        expect(stdout).to.equal(`${text}\n`);
        expect(exitCode).to.equal(0);
      });
    }

    for (const args of [
      ['--principal', 'desk', ...SIGN],
      ['--principal', 'bot-8', '--operation', 'verify', ...IDS],
      ['--principal', 'ops', '--operation', 'status'],
    ]) {
      it(`reports that no entry allows it, and exits as a refusal: ${args.join(' ')}`, async () => {
        const { stdout, exitCode } = await run('check', ...args);
        expect(stdout).to.equal('no: no permission entry allows it\n');
        expect(exitCode).to.equal(2);
      });
    }

    it('reports that a disabled account, or one of a disabled platform, signs nothing', async () => {
      for (const [kind, ids, text, statuses] of [
        ['account', IDS, 'The account is disabled, so it signs nothing.', ['disabled', 'active']],
        [
          'platform',
          IDS.slice(0, 2),
          'The platform is disabled, so the account signs nothing.',
          ['active', 'disabled'],
        ],
      ] as const) {
        await place.commandHere(kind, 'disable', ...ids);
        const { stdout, exitCode } = await run('check', '--principal', 'bot-8', ...SIGN);
        const { stdout: json } = await run('check', '--principal', 'bot-8', ...SIGN, '--json');
        await place.commandHere(kind, 'enable', ...ids);
        expect(stdout).to.equal(`yes: allowed by permissions[0]\n${text}\n`);
        expect(exitCode).to.equal(0);
        const { accountStatus, platformStatus } = JSON.parse(json);
        expect([accountStatus, platformStatus]).to.deep.equal(statuses);
      }
    });

    for (const [args, reason] of [
      [SIGN, /exactly one of --principal and --anonymous is required/],
      [['--principal', 'anonymous', ...SIGN], /use --anonymous/],
      [['--principal', 'bot-*', ...SIGN], /letters, digits/],
      [['--principal', 'a', '--operation', 'withdraw', ...IDS], /choices are sign, verify, read, reload, status/],
      [['--principal', 'a', '--operation', 'sign', ...IDS.slice(0, 2)], /requires --platform and --account/],
      [['--principal', 'a', '--operation', 'status', ...IDS], /does not accept --platform or --account/],
    ] as const) {
      it(`refuses ${args.join(' ')}`, async () => {
        const { stdout, stderr, exitCode } = await run('check', ...args);
        expect([stdout, exitCode]).to.deep.equal(['', 2]);
        expect(stderr).to.match(reason);
      });
    }
  });

  describe('add and remove', () => {
    const added = ['add', '--principal', 'bot-7', '--principal', 'bot-8', '--operation', 'sign', 'verify'];

    it('begin and end the list, with a warning: it decides about everything', async () => {
      write(undefined);
      const first = await run(...added, '--account', 'alpha/*');
      expect(first.stdout).to.match(/^permissions\[0\] added: bot-7, bot-8 may sign, verify on alpha\/\*\.\nwarning: /);
      expect(first.stdout).to.include('now callers may do only what an entry allows');
      expect(read().permissions).to.deep.equal([
        { principals: ['bot-7', 'bot-8'], accounts: ['alpha/*'], operations: ['sign', 'verify'] },
      ]);
      expect((await run('check', '--anonymous', ...SIGN)).exitCode).to.equal(2);
      const second = await run('add', '--principal', 'ops', '--operation', 'status');
      expect(second.stdout).to.match(/^permissions\[1\] added: ops may status\.\nA running service/);
      const gone = await run('remove', '--list', '--json');
      expect(JSON.parse(gone.stdout)).to.deep.include({ hasList: false, total: 0 });
      expect(read()).to.not.have.property('permissions');
      expect((await run('check', '--anonymous', ...SIGN)).exitCode).to.equal(0);
    });

    it('change one entry, and leave the others as they are', async () => {
      write(LIST);
      const { stdout } = await run('remove', '--index', '1');
      expect(stdout).to.match(/^permissions\[1\] removed: ops, reload\.\n/);
      expect(read().permissions).to.deep.equal([LIST[0], LIST[2]]);
      await run('remove', '--index', '1');
      expect((await run('remove', '--index', '0')).stdout).to.include(
        'the list is empty, so no caller may do anything',
      );
      expect(read().permissions).to.deep.equal([]);
    });

    for (const [args, reason] of [
      [[...added], /permissions\[3\]\.accounts is missing: sign, verify, read and \* require accounts/],
      [[...added, '--account', 'alpha'], /must be platformId\/accountId/],
      [['add', '--principal', 'a', '--operation', '*', 'sign', '--account', '*/*'], /must be \["\*"\] alone/],
      [['add', '--operation', 'status'], /required option '--principal/],
      [['remove', '--index', '3'], /There is no permission entry 3; nothing was changed/],
      [['remove', '--index', '-1'], /integer from 0 to/],
      [['remove'], /exactly one of --index and --list is required/],
    ] as const) {
      it(`refuse ${args.join(' ')}, and change nothing`, async () => {
        write(LIST);
        const { stderr, exitCode } = await run(...args);
        expect(exitCode).to.equal(2);
        expect(stderr).to.match(reason);
        expect(read().permissions).to.deep.equal(LIST);
      });
    }
  });
});
