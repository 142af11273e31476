import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import { ALGORITHMS } from '../../src/domain/model/algorithm.ts';
import { definedProgram, listLeaves } from '../harness/command-definitions.ts';
import { commandInProcess } from '../harness/command-in-process.ts';
import { Workplace } from '../harness/service-process.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** Whether a shell is installed. */
function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).error === undefined;
}

/** Completions of the last word, sorted. */
type Complete = (...words: readonly string[]) => readonly string[];

/** Calls the script's function like bash on Tab. */
const BASH = `
source "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(( $# - 1 ))
_signing_service
printf '%s\\n' "\${COMPREPLY[@]}"`;

describe('The completion script', () => {
  const place = new Workplace();
  before(async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout, exitCode } = await commandInProcess({}, ['completion', shell]);
      expect(exitCode).to.equal(0);
      writeFileSync(place.path(`script.${shell}`), stdout);
    }
    mkdirSync(place.path('files'));
    for (const file of ['accounts.csv', 'accounts.json', 'main.key', 'new accounts.csv'])
      writeFileSync(place.path(`files/${file}`), '');
  });
  after(() => place.remove());

  function shell(program: Shell, args: readonly string[], environment: { readonly [name: string]: string } = {}) {
    const env = {
      PATH: process.env['PATH'],
      HOME: place.folder,
      SCRIPT: place.path(`script.${program}`),
      ...environment,
    };
    return spawnSync(program, args, { cwd: place.path('files'), env, encoding: 'utf8', timeout: 15_000 });
  }

  const offered = ({ stdout, stderr }: ReturnType<typeof shell>): readonly string[] => {
    expect(stderr).to.equal('');
    return stdout
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '')
      .filter((line) => line !== '')
      .toSorted();
  };

  const completers: readonly (readonly [Shell, Complete])[] = [
    ['bash', (...words) => offered(shell('bash', ['--norc', '-c', BASH, 'bash', ...words]))],
    [
      'fish',
      (...words) =>
        offered(shell('fish', ['--no-config', '-c', 'source $SCRIPT; complete -C $LINE'], { LINE: words.join(' ') })),
    ],
  ];

  for (const [program, complete] of completers) {
    if (!isInstalled(program)) {
      process.stdout.write(`${program} is not installed: its completion was not tried (apt-get install ${program}).\n`);
      continue;
    }

    describe(`for ${program}`, () => {
      it('offers commands', async () => {
        const program_ = await definedProgram();
        expect(complete('signing-service', '')).to.deep.equal(
          program_.commands.map((command) => command.name()).toSorted(),
        );
        expect(complete('signing-service', 'account', 'dis')).to.deep.equal(['disable']);
        for (const group of program_.commands.filter(({ commands }) => commands.length > 0)) {
          const names = group.commands.map((command) => command.name()).toSorted();
          expect(complete('signing-service', group.name(), '')).to.deep.equal(names);
        }
      }).timeout(60_000);

      it('offers every option of every command', async () => {
        const leaves = listLeaves(await definedProgram()).filter(([name]) =>
          ['account add', 'audit tail', 'platform add'].includes(name),
        );
        for (const [name, command] of leaves) {
          const options = complete('signing-service', ...name.split(' '), '--');
          expect(options, name).to.include.members(command.options.map(({ long }) => String(long)));
          expect(options, name).to.include.members(['--help', '--color', '--no-color']);
        }
      }).timeout(60_000);

      it('offers the values of options and arguments', () => {
        const cases: readonly (readonly [string, readonly string[]])[] = [
          ['account add --algorithm e', ALGORITHMS.filter((name) => name.startsWith('e')).sort()],
          ['account add --account list --key-format s', ['solana']],
          ['audit tail --outcome ', ['failed', 'refused', 'success']],
          ['completion ', ['bash', 'fish', 'zsh']],
          ['platform presets ', listPresets().map(({ name }) => name)],
          ['platform add --preset krak', ['kraken', 'kraken-futures']],
        ];
        for (const [line, values] of cases) {
          expect(complete('signing-service', ...line.split(' ')), line).to.deep.equal(values);
        }
      }).timeout(60_000);

      it('offers files for file arguments, and nothing for free text', () => {
        expect(complete('signing-service', 'account', 'import', 'acc')).to.deep.equal([
          'accounts.csv',
          'accounts.json',
        ]);
        expect(complete('signing-service', 'account', 'add', '--key-file', 'm')).to.deep.equal(['main.key']);
        expect(complete('signing-service', 'account', 'import', 'n')).to.deep.equal(['new accounts.csv']);
        expect(complete('signing-service', 'account', 'add', '--key-file', 'n')).to.deep.equal(['new accounts.csv']);
        expect(complete('signing-service', 'account', 'list', '--platform', 'x')).to.deep.equal([]);
      }).timeout(60_000);
    });
  }

  it('for bash offers the value after =, and further values of a repeatable option', () => {
    const [, complete] = completers[0] ?? expect.fail();
    // bash splits --algorithm=ed.
    expect(complete('signing-service', 'account', 'add', '--algorithm', '=', 'ed')).to.deep.equal(['ed25519']);
    expect(complete('signing-service', 'account', 'add', '--algorithm', '=')).to.include('ed25519');
    const several = ['signing-service', 'platform', 'add', '--algorithm', 'ed25519'];
    expect(complete(...several, 'eip7')).to.deep.equal(['eip712']);
    expect(complete(...several, '--enc')).to.deep.equal(['--encoding']);
  });

  if (isInstalled('zsh')) {
    it('for zsh loads without issues, and defines the completion of the program', () => {
      const checked = shell('zsh', ['-f', '-n', place.path('script.zsh')]);
      expect([checked.status, checked.stderr]).to.deep.equal([0, '']);
      // Prints the script's suggestions through replaced zsh functions.
      const mocked = `
        compdef() { defined="$*" }
        _describe() { local -a all=(\${(P)argv[-1]}); print -l -- \${all%%:*} }
        compadd() { shift; print -l -- "$@" }
        compset() { :; }
        _files() { print FILES }
        _message() { print MESSAGE }
        source $SCRIPT
        words=(\${(z)LINE}) CURRENT=\${#words}
        _signing_service
        print "defined $defined"`;
      const zsh = (line: string) => shell('zsh', ['-f', '-c', mocked], { LINE: line }).stdout.trimEnd().split('\n');
      expect(zsh('signing-service account i')).to.include.members([
        'import',
        'list',
        'defined _signing_service signing-service',
      ]);
      expect(zsh('signing-service account add --algorithm e')).to.include('eip191');
      expect(zsh('signing-service account add --alg')).to.include('--algorithm');
      expect(zsh('signing-service account import x')).to.include('FILES');
      expect(zsh('signing-service platform add --algorithm ed25519 x')).to.include('eip712');
    });
  } else process.stdout.write('zsh is not installed: its completion was not tried (apt-get install zsh).\n');

  it('is rejected for an unknown shell', async () => {
    const { stderr, exitCode } = await commandInProcess({}, ['completion', 'tcsh']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('Allowed choices are bash, zsh, fish');
  });
});
