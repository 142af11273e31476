import { expect } from 'chai';
import { CommanderError } from 'commander';
import { permissionCheckCommand } from '../../../../../src/adapters/cli/permission/check-command.ts';
import type { PermissionEntry } from '../../../../../src/domain/model/permissions.ts';
import { sampleListedAccount, samplePlatform } from '../../../../doubles/credential-builder.ts';
import { NOTHING } from '../../../../doubles/recording-credential-editor.ts';
import { runCommand } from '../run-command.ts';

const MAIN = sampleListedAccount();
const LIST: readonly PermissionEntry[] = [
  { principals: ['bot-*'], accounts: ['alpha/*'], operations: ['sign'] },
  { principals: ['ops'], operations: ['reload'] },
  { principals: ['bot-7', 'anonymous'], accounts: ['*/main'], operations: ['*'] },
];

const ACCOUNT = ['--platform', 'alpha', '--account', 'main'];
const SIGN = ['--operation', 'sign', ...ACCOUNT];

const run = (args: readonly string[], permissions: readonly PermissionEntry[] | null = LIST) =>
  runCommand(permissionCheckCommand, args, { ...NOTHING, accounts: [MAIN], permissions });

describe('permission check', () => {
  for (const [args, text] of [
    [['--principal', 'bot-8', ...SIGN], 'yes: allowed by permissions[0]'],
    [['--principal', 'bot-7', ...SIGN], 'yes: allowed by permissions[0], permissions[2]'],
    [['--anonymous', '--operation', 'read', ...ACCOUNT], 'yes: allowed by permissions[2]'],
    [['--principal', 'ops', '--operation', 'reload'], 'yes: allowed by permissions[1]'],
  ] as const) {
    it(`names which entries allow it: ${args.join(' ')}`, async () => {
      const { stdout, endedAsRefused, error } = await run(args);
      expect(error).to.equal(null);
      expect(stdout).to.equal(`${text}\n`);
      expect(endedAsRefused).to.equal(false);
    });
  }

  for (const args of [
    ['--principal', 'desk', ...SIGN],
    ['--principal', 'bot-8', '--operation', 'verify', ...ACCOUNT],
    ['--principal', 'ops', '--operation', 'status'],
  ]) {
    it(`reports that no entry allows it, and exits as a refusal: ${args.join(' ')}`, async () => {
      const { stdout, endedAsRefused } = await run(args);
      expect(stdout).to.equal('no: no permission entry allows it\n');
      expect(endedAsRefused).to.equal(true);
    });
  }

  it('reports that a missing list allows everything and an empty list nothing', async () => {
    const open = await run(['--anonymous', ...SIGN], null);
    expect(open.stdout).to.match(/^yes: the credentials file has no permissions list/);
    expect(open.endedAsRefused).to.equal(false);
    const closed = await run(['--principal', 'ops', ...SIGN], []);
    expect(closed.stdout).to.match(/^no: /);
    expect(closed.endedAsRefused).to.equal(true);
  });

  it('reports an unknown account', async () => {
    const unknown = ['--platform', 'alpha', '--account', 'mian'];
    const { stdout } = await run(['--principal', 'bot-8', '--operation', 'sign', ...unknown]);
    expect(stdout).to.equal('yes: allowed by permissions[0]\nThe account does not exist in the credentials file.\n');
  });

  it('reports that a disabled account, or one of a disabled platform, signs nothing', async () => {
    const args = ['--principal', 'bot-8', ...SIGN];
    const disabled = { ...MAIN, status: 'disabled' as const };
    for (const [account, status, text, statuses] of [
      [disabled, {}, 'The account is disabled, so it signs nothing.', ['disabled', 'active']],
      [MAIN, { status: 'disabled' }, 'The platform is disabled, so the account signs nothing.', ['active', 'disabled']],
    ] as const) {
      const listing = { ...NOTHING, platforms: [samplePlatform(status)], accounts: [account], permissions: LIST };
      const { stdout, endedAsRefused } = await runCommand(permissionCheckCommand, args, listing);
      expect(stdout).to.equal(`yes: allowed by permissions[0]\n${text}\n`);
      expect(endedAsRefused).to.equal(false);
      const json = JSON.parse((await runCommand(permissionCheckCommand, [...args, '--json'], listing)).stdout);
      expect([json.accountStatus, json.platformStatus]).to.deep.equal(statuses);
    }
  });

  for (const [args, reason] of [
    [SIGN, /exactly one of --principal and --anonymous is required/],
    [['--principal', 'anonymous', ...SIGN], /use --anonymous/],
    [['--principal', 'bot-*', ...SIGN], /letters, digits/],
    [
      ['--principal', 'a', '--operation', 'withdraw', ...ACCOUNT],
      /Allowed choices are sign, verify, read, reload, status/,
    ],
    [
      ['--principal', 'a', '--operation', 'sign', '--platform', 'alpha'],
      /--operation sign requires --platform and --account/,
    ],
    [
      ['--principal', 'a', '--operation', 'status', ...ACCOUNT],
      /--operation status does not accept --platform or --account/,
    ],
  ] as const) {
    it(`refuses ${args.join(' ')}`, async () => {
      const { stdout, stderr, error } = await run(args);
      expect(error).to.be.instanceOf(CommanderError);
      expect(stderr).to.match(reason);
      expect(stdout).to.equal('');
    });
  }
});
