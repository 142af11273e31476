import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import type { CliContext } from '../../src/adapters/cli/cli-context.ts';
import { createProgram } from '../../src/adapters/cli/program.ts';
import { SETTING_NAMES } from '../../src/app/settings/setting-table.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { serviceCommands, shellBlocks } from './shell-blocks.ts';

/** Pages with commands. */
const GUIDES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  ...readdirSync(join(PROJECT_ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!decisions\/).*\.md$/.test(file) && file !== 'operators/command-line.md')
    .map((file) => `docs/${file}`),
];

function read(file: string): string {
  return readFileSync(join(PROJECT_ROOT, file), 'utf8');
}

/** Unknown words of a command. */
function unknownWords(program: Command, words: readonly string[]): readonly string[] {
  const [name = '', ...rest] = words;
  const next = program.commands.find((command) => command.name() === name);
  if (next !== undefined) return unknownWords(next, rest);
  if (program.commands.length > 0) return name.startsWith('-') ? [] : [name];
  const known = ['--help', ...program.options.flatMap(({ long }) => (long == null ? [] : [long]))];
  return words.filter((word) => word.startsWith('--')).filter((word) => !known.includes(word.split('=')[0] ?? ''));
}

const program = await createProgram({} as CliContext, '0');

describe('Operator documentation', () => {
  for (const guide of GUIDES) {
    it(`${guide} uses only existing commands and options`, () => {
      const commands = shellBlocks(read(guide)).flatMap(serviceCommands);
      for (const words of commands) expect(unknownWords(program, words), words.join(' ')).to.deep.equal([]);
      if (guide === 'docs/operators/keys.md') expect(commands).to.have.length.above(5);
    });

    it(`${guide} has commands with valid shell syntax`, () => {
      for (const text of shellBlocks(read(guide))) {
        const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: text, encoding: 'utf8' });
        expect(status, `${stderr} in\n${text}`).to.equal(0);
      }
    });

    it(`${guide} names only existing npm scripts`, () => {
      const { scripts } = JSON.parse(read('package.json'));
      const named = [...read(guide).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = '']) => name);
      for (const name of named) expect(Object.keys(scripts)).to.include(name);
    });
  }

  const deployed = readdirSync(join(PROJECT_ROOT, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(PROJECT_ROOT, join(entry.parentPath, entry.name)))
    // Created by deploy/README.md.
    .filter((file) => !/^deploy\/(?:config|secrets|tls)\//.test(file));

  for (const file of [...GUIDES, 'Dockerfile', ...deployed]) {
    it(`${file} names only existing settings`, () => {
      const names = new Set([...read(file).matchAll(/\bSIGNING_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name));
      expect(SETTING_NAMES).to.include.members([...names]);
    });
  }

  it('docs/operators and deploy/README.md name only existing deploy files', () => {
    const guides = GUIDES.filter((guide) => /^(?:docs\/operators|deploy)\//.test(guide));
    const named = guides.flatMap((guide) =>
      [...read(guide).matchAll(/(?<![\w./])deploy\/[\w./-]*\w/g)].map(([path]) => path),
    );
    expect(named).to.have.length.above(10);
    expect(named.filter((path) => !existsSync(join(PROJECT_ROOT, path)))).to.deep.equal([]);
  });
});
