import { resolve } from 'node:path';
import { expect } from 'chai';
import { getManual } from '../../src/adapters/cli/command-manual.ts';
import { listCommands } from '../../src/adapters/cli/program.ts';
import { SETTING_NAMES } from '../../src/app/settings/setting-table.ts';
import { definedProgram, listLeaves } from '../harness/command-definitions.ts';
import { commandInProcess, PIPES, terminalOf } from '../harness/command-in-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

const PROGRAM = await definedProgram();
const LEAVES = listLeaves(PROGRAM);
const GROUPS = PROGRAM.commands.filter(({ commands }) => commands.length > 0).map((group) => group.name());
const NAMES = ['', ...GROUPS, ...LEAVES.map(([name]) => name)];

const run = (line: string, outputs = PIPES) =>
  commandInProcess(
    { TERM: 'dumb' },
    line.split(' ').filter((word) => word !== ''),
    outputs,
  );

describe('Command help', () => {
  for (const name of NAMES) {
    it(`of ${name === '' ? 'the program' : name} has examples that begin with it, and exit codes`, async () => {
      const { stdout, stderr, exitCode } = await run(`${name} --help`);
      expect([exitCode, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(/^Usage: signing-service /);
      expect(stdout).to.match(/\nExit codes:\n {2}0 {2}\S[\s\S]*\n {2}1 {2}\S[\s\S]*\n {2}2 {2}\S/);
      expect(stdout).to.match(/\nExamples?:\n(?: {2}\$ signing-service \S.*\n)+$/);
      expect(stdout).to.include(`  $ signing-service ${name}`);
      expect(stdout).to.include('--color').and.include('--no-color');
    });
  }

  it('fits the terminal width, except for examples and names', async () => {
    for (const name of NAMES) {
      for (const columns of [60, 100]) {
        const { stdout } = await run(`${name} --help`, terminalOf(columns));
        const lines = stdout.split('\n').filter((line) => !line.startsWith('  $ ') && line.trim().includes(' '));
        for (const line of lines) expect(line.length, `${columns}: ${line}`).to.be.at.most(columns);
      }
    }
  });

  it('is at most 120 columns wide on any terminal', async () => {
    const { stdout } = await run('audit verify --help', terminalOf(500));
    for (const line of stdout.split('\n')) expect(line.length).to.be.at.most(120);
  });

  it('names only existing settings', () => {
    for (const command of listCommands(PROGRAM)) {
      const { settings = [] } = getManual(command) ?? {};
      for (const setting of settings) expect(SETTING_NAMES, command.name()).to.include(setting);
    }
  });

  it('names every setting of the master key sources where a master key is wrapped', async () => {
    const pattern = /^SIGNING_(?:MASTER_KEY|VAULT|GCP|AWS|PKCS11)_/;
    const expected = SETTING_NAMES.filter((name) => pattern.test(name));
    for (const command of ['init', 'master-key rotate']) {
      const { stdout } = await run(`${command} --help`);
      for (const name of expected) expect(stdout, command).to.match(new RegExp(`\\n {2}${name}\\n {6}\\S`));
    }
  });

  it('explains the settings that it names, with their defaults', async () => {
    const { stdout } = await run('audit verify --help', terminalOf(120));
    expect(stdout).to.include('  SIGNING_AUDIT_FILE\n      Audit file; each running service needs its own. Default:');
    expect(stdout).to.include('var/audit/audit.jsonl');
  });

  it('is also shown by the help command', async () => {
    expect((await run('help account')).stdout).to.equal((await run('account --help')).stdout);
    expect((await run('account help import')).stdout).to.equal((await run('account import --help')).stdout);
  });

  it('is shown on standard error for a group without a command, which exits with 2', async () => {
    for (const group of GROUPS) {
      const { stdout, stderr, exitCode } = await run(group);
      expect([stdout, exitCode]).to.deep.equal(['', 2]);
      expect(stderr).to.include(`Usage: signing-service ${group}`);
    }
  });
});

describe('A misspelt word', () => {
  for (const [name] of LEAVES) {
    const words = name.split(' ');
    const misspelt = [...words.slice(0, -1), words.at(-1)?.replace(/.$/, '')].join(' ');
    it(`gets the nearest command: ${misspelt}`, async () => {
      const { stderr, exitCode } = await run(misspelt);
      expect(exitCode).to.equal(2);
      expect(stderr)
        .to.include('unknown command')
        .and.include('Did you mean')
        .and.include(`${words.at(-1)}`);
    });
  }

  for (const [name, command] of LEAVES) {
    const needed = command.options.filter(({ mandatory }) => mandatory);
    const given = needed.map(({ long, argChoices = ['1'] }) => `${long} ${argChoices[0]}`).join(' ');
    const argument = command.registeredArguments.some(({ required }) => required) ? 'x' : '';
    for (const { long } of command.options.filter(({ mandatory }) => !mandatory).slice(0, 1)) {
      const misspelt = String(long).slice(0, -1);
      it(`gets the nearest option of ${name}: ${misspelt}`, async () => {
        const { stderr, exitCode } = await run(`${name} ${argument} ${given} ${misspelt}`);
        expect(exitCode).to.equal(2);
        expect(stderr).to.include(`unknown option '${misspelt}'`);
        expect(stderr)
          .to.match(/Did you mean (?:one of )?--/)
          .and.include(`${long}`);
      });
    }

    for (const { long, flags } of needed.slice(0, 1)) {
      it(`gets the correct name of a required option of ${name}: ${String(long).slice(0, -1)}`, async () => {
        const { stderr, exitCode } = await run(`${name} ${String(long).slice(0, -1)} x`);
        expect(exitCode).to.equal(2);
        expect(stderr).to.include(flags);
      });
    }
  }

  it('gets the choices of an option', async () => {
    const { stderr } = await run('account add --platform p --account a --algorithm ed2551');
    expect(stderr).to.include('Allowed choices are ed25519, eip191');
  });
});

describe('Errors with --json', () => {
  const failure = async (line: string) => {
    const { stdout, stderr, exitCode } = await run(line);
    expect([stdout, exitCode]).to.deep.equal(['', 2]);
    return JSON.parse(stderr);
  };

  it('are JSON on standard error, with the exit code', async () => {
    const messages: readonly (readonly [string, RegExp])[] = [
      ['account list --jso --json', /^unknown option '--jso'\n\(Did you mean --json\?\)$/],
      ['account lst --json', /^unknown command 'lst'/],
      ['account disable --platform p --json', /^required option '--account <id>' not specified$/],
      ['account import --json', /^missing required argument 'file'$/],
      ['permission check --operation sign --json', /^exactly one of --principal and --anonymous is required$/],
    ];
    for (const [line, message] of messages) {
      const { error, ...more } = await failure(line);
      expect(more).to.deep.equal({});
      expect(error, line).to.have.keys('message', 'exitCode');
      expect(error.message, line).to.match(message);
      expect(error.exitCode).to.equal(2);
    }
  });

  it('include invalid settings, on one line', async () => {
    const { stderr, exitCode } = await commandInProcess({ SIGNING_PROT: '1' }, ['account', 'list', '--json']);
    expect(exitCode).to.equal(2);
    expect(stderr.trimEnd().split('\n')).to.have.lengthOf(1);
    expect(JSON.parse(stderr).error.message).to.include('SIGNING_PORT');
  });

  it('are text if --json follows --, or is missing', async () => {
    expect((await run('account lst')).stderr).to.match(/^error: unknown command/);
    expect((await run('audit tail x --nofollow -- --json')).stderr).to.match(/^error: unknown option/);
  });
});

describe('The command line', () => {
  const place = useWorkplace([
    'platform add --platform my-exchange --format any --rule raw',
    'account add --platform my-exchange --account main --algorithm ed25519',
  ]);

  it('explains what it rejects and exits with code 2', async () => {
    const account = ['--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'];
    const refusals: [readonly string[], RegExp][] = [
      [['account', 'add', ...account], /main/],
      [['account', 'add', '--platform', 'nowhere', '--account', 'x', '--algorithm', 'ed25519'], /nowhere/],
      [['account', 'add', '--platform', 'my-exchange', '--account', '../x', '--algorithm', 'ed25519'], /accountId/],
      [
        ['account', 'add', ...account.with(3, 'y'), '--key-file', place.path('no-such-file')],
        /--key-file does not exist/,
      ],
      [['platform', 'add', '--platform', 'my-exchange', '--format', 'A'], /my-exchange/],
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
    ];
    for (const [args, reason] of refusals) {
      const { stderr, exitCode } = await place.commandHere(...args);
      expect(exitCode, args.join(' ')).to.equal(2);
      expect(stderr, args.join(' ')).to.match(reason);
      expect(stderr, args.join(' ')).to.not.match(/^\s+at /m);
    }
  });

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
      expect(refused).to.include(`add it first with \`${called} platform add\`.`);
    }
  });
});
