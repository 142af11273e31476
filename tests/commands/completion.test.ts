import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import { ALGORITHMS } from '../../src/domain/model/algorithm.ts';
import { definedProgram, listLeaves } from '../harness/command-definitions.ts';
import { commandInProcess } from '../harness/command-in-process.ts';

/** Suggestions for the last word of a command line, sorted. */
async function complete(line: string): Promise<readonly string[]> {
  const { stdout, stderr, exitCode } = await commandInProcess({}, ['complete', ...line.split(' ')]);
  expect([stderr, exitCode]).to.deep.equal(['', 0]);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((suggestion) => suggestion.split('\t')[0] ?? '')
    .toSorted();
}

const names = (commands: readonly { name(): string }[]) => commands.map((command) => command.name()).toSorted();

describe('Completion', () => {
  it('offers commands, with their descriptions', async () => {
    const program = await definedProgram();
    expect(await complete('')).to.deep.equal(names(program.commands));
    for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
      expect(await complete(`${group.name()} `)).to.deep.equal(names(group.commands));
    }
    const { stdout } = await commandInProcess({}, ['complete', 'account', 'dis']);
    expect(stdout).to.match(/^disable\t.+\n$/);
  });

  it('offers every option of every command', async () => {
    for (const [name, command] of listLeaves(await definedProgram())) {
      const options = await complete(`${name} --`);
      expect(options, name).to.include.members(command.options.map(({ long }) => String(long)));
      expect(options, name).to.include.members(['--help', '--color', '--no-color']);
    }
  }).timeout(20_000);

  for (const [line, suggestions] of [
    ['account add --algorithm e', ALGORITHMS.filter((name) => name.startsWith('e')).toSorted()],
    ['account add --account list --key-format s', ['solana']],
    ['account add --algorithm = ed', ['ed25519']],
    ['account add --algorithm=ed', ['--algorithm=ed25519']],
    ['platform add --algorithm ed25519 eip7', ['eip712']],
    ['platform add --algorithm ed25519 --enc', ['--encoding']],
    ['audit tail --outcome ', ['failed', 'refused', 'success']],
    ['audit tail -n 5 --no-fo', ['--no-follow']],
    ['--no-color account dis', ['disable']],
    ['completion ', ['bash', 'fish', 'zsh']],
    ['platform presets ', listPresets().map(({ name }) => name)],
    ['platform add --preset krak', ['kraken', 'kraken-futures']],
    ['account import acc', ['@files']],
    ['audit verify first second', ['@files']],
    ['account add --key-file m', ['@files']],
    ['backup ', ['@files']],
    ['account list --platform x', []],
  ] as const) {
    it(`offers ${suggestions.slice(0, 3).join(', ') || 'nothing'} after ${line}`, async () => {
      expect(await complete(line)).to.deep.equal(suggestions);
    });
  }

  it('has no script for an unknown shell', async () => {
    const { stderr, exitCode } = await commandInProcess({}, ['completion', 'tcsh']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('Allowed choices are bash, zsh, fish');
  });
});
