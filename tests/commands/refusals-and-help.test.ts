import { resolve } from 'node:path';
import { expect } from 'chai';
import { commandInProcess, PIPES } from '../harness/command-in-process.ts';
import { Workplace } from '../harness/service-process.ts';

describe('The command line', () => {
  const place = new Workplace();

  before(async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any', '--rule', 'raw');
    await place.prepare('account', 'add', '--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519');
  });

  after(() => place.remove());

  it('explains what it rejects and exits with code 2', async () => {
    const account = ['--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'];
    const refusals: [readonly string[], RegExp][] = [
      [['account', 'add', ...account], /main/],
      [['account', 'add', '--platform', 'nowhere', '--account', 'x', '--algorithm', 'ed25519'], /nowhere/],
      [['account', 'add', '--platform', 'my-exchange', '--account', '../x', '--algorithm', 'ed25519'], /accountId/],
      [['account', 'add', ...account, '--key-format', 'hex'], /--key-file/],
      [['account', 'add', ...account.with(3, 'y'), '--key-file', place.path('no-such-file')], /no-such-file/],
      [['account', 'disable', '--platform', 'my-exchange', '--account', 'unknown'], /unknown/],
      [['platform', 'add', '--platform', 'my-exchange', '--format', 'A'], /my-exchange/],
      [['platform', 'add', '--platform', 'p', '--format', 'Z'], /Allowed choices are A, B, C, D, any/],
      [
        ['platform', 'add', '--platform', 'p', '--format', 'A', '--audit-clear', 'price', 'a..b'],
        /audit\.clear\[1\] must be/,
      ],
      [['platform', 'add', '--platform', 'p', '--format', 'A', '--audit-clear'], /--audit-clear <path\.\.\.>/],
      [['platform', 'add', '--preset', 'krakne'], /Did you mean kraken\?/],
      [
        ['platform', 'add', '--platform', 'p', '--format', 'any', '--payload', '{"rule":"query","srt":true}'],
        /payload\.srt is an unknown field/,
      ],
      [['platform', 'ad'], /unknown command 'ad'/],
      [['account', 'add'], /--platform/],
    ];
    for (const [index, [args, reason]] of refusals.entries()) {
      const { stderr, exitCode } = await (index === 0 ? place.command(...args) : place.commandHere(...args));
      expect(exitCode, args.join(' ')).to.equal(2);
      expect(stderr, args.join(' ')).to.match(reason);
      expect(stderr, args.join(' ')).to.not.match(/^\s+at /m);
    }
  }).timeout(60_000);

  it('names itself as it was called, in next steps, advice and help', async () => {
    const call = async (program: string, ...args: readonly string[]) => {
      const { stdout, stderr } = await commandInProcess(place.environment, args, PIPES, program);
      return `${stdout}${stderr}`;
    };
    for (const [program, called] of [
      [resolve('dist/cli.js'), 'node dist/cli.js'],
      ['/opt/signing service/dist/cli.js', "node '/opt/signing service/dist/cli.js'"],
      ['/usr/local/bin/signing-service', 'signing-service'],
    ] as const) {
      expect(await call(program, 'platform', 'presets')).to.include(`\nFor details: ${called} platform presets NAME\n`);
      expect(await call(program, 'init', '--help')).to.match(new RegExp(`^Usage: ${called} init `));
      const refused = await call(program, 'account', 'add', '--platform', 'none', '--account', 'main');
      expect(refused).to.include(`Add it first with \`${called} platform add\`.`);
    }
  });

  it('has help with an example for every command', async () => {
    const commands = [
      ['serve'],
      ['demo'],
      ['init'],
      ['platform', 'add'],
      ['platform', 'presets'],
      ['account', 'add'],
      ['account', 'list'],
      ['account', 'disable'],
      ['account', 'enable'],
      ['permission', 'check'],
      ['policy', 'list'],
      ['policy', 'check'],
    ];
    for (const command of commands) {
      const { stdout, exitCode } = await place.commandHere(...command, '--help');
      expect(exitCode, command.join(' ')).to.equal(0);
      expect(stdout, command.join(' ')).to.include(`$ signing-service ${command.join(' ')}`);
    }
  }).timeout(60_000);
});
