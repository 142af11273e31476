import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import type { CliContext } from '../../src/adapters/cli/cli-context.ts';
import { createProgram } from '../../src/adapters/cli/program.ts';
import { SETTING_NAMES } from '../../src/app/settings/setting-table.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';
import { serviceCommands, shellBlocks } from './shell-blocks.ts';

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(join(PROJECT_ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT_ROOT.length + 1));
}

const ROOT_PAGES = readdirSync(PROJECT_ROOT).filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
const PAGES = [...ROOT_PAGES, 'deploy/README.md', ...filesIn('docs').filter((file) => file.endsWith('.md'))];

/** Pages that describe the present; the commands are generated. */
const GUIDES = PAGES.filter((page) => !/^docs\/decisions\/|command-line\.md$/.test(page));

/** Words that are no command or option. */
function unknownWords(program: Command, words: readonly string[]): readonly string[] {
  const [name = '', ...rest] = words;
  const next = program.commands.find((command) => command.name() === name);
  if (next !== undefined) return unknownWords(next, rest);
  if (program.commands.length > 0) return name.startsWith('-') ? [] : [name];
  const known = ['--help', ...program.options.flatMap(({ long }) => (long == null ? [] : [long]))];
  return words.filter((word) => word.startsWith('--')).filter((word) => !known.includes(word.split('=')[0] ?? ''));
}

/** What a pattern's first group finds in files, each with its file. */
function mentions(files: readonly string[], pattern: RegExp): readonly (readonly [file: string, found: string])[] {
  return files.flatMap((file) =>
    [...readProjectFile(file).matchAll(pattern)].map(([, found = '']) => [file, found] as const),
  );
}

/** Anchors of headings as GitHub makes them; those that occur again end with -1, -2, … */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = anchor;
    for (let count = 1; anchors.has(name); count += 1) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

function withoutCode(page: string): string {
  return readProjectFile(page).replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

describe('Documentation', () => {
  it('links to existing files and headings', () => {
    const pages = [...PAGES, 'CHANGELOG.md', 'clients/typescript/README.md', 'clients/python/README.md'];
    const links = pages.flatMap((page) =>
      [...withoutCode(page).matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)].map(
        ([link, path = '', anchor = '']) => ({
          name: `${page}: ${link}`,
          target: path === '' ? page : join(dirname(page), path),
          anchor,
        }),
      ),
    );
    expect(links).to.have.length.above(200);
    for (const { name, target, anchor } of links) {
      expect(existsSync(join(PROJECT_ROOT, target)), name).to.equal(true);
      if (anchor !== '') expect(anchorsOf(target).has(anchor), name).to.equal(true);
    }
  });

  it('uses only existing commands and options', async () => {
    const program = await createProgram({} as CliContext, '0');
    const commands = GUIDES.flatMap((guide) => shellBlocks(readProjectFile(guide)).flatMap(serviceCommands));
    expect(commands).to.have.length.above(30);
    for (const words of commands) expect(unknownWords(program, words), words.join(' ')).to.deep.equal([]);
  });

  it('names only existing npm scripts', () => {
    const { scripts } = JSON.parse(readProjectFile('package.json'));
    const named = mentions(GUIDES, /npm run (?:--silent )?([a-z][\w:-]*)/g);
    expect(named).to.have.length.above(30);
    for (const [file, name] of named) expect(Object.keys(scripts), file).to.include(name);
  });

  it('names, like the files of deployments, only existing settings', () => {
    // The guide of deploy/ creates the excluded folders.
    const deployed = filesIn('deploy').filter((file) => !/^deploy\/(?:config|secrets|tls)\//.test(file));
    const named = mentions([...GUIDES, ...deployed, 'Dockerfile'], /\b(SIGNING_[A-Z][A-Z_]*[A-Z])\b/g);
    expect(named).to.have.length.above(200);
    for (const [file, name] of named) expect(SETTING_NAMES, file).to.include(name);
  });

  it('names only existing files of deployments and tests', () => {
    const files = [...filesIn('deploy'), ...filesIn('tests')];
    const named = mentions(GUIDES, /(?<![\w./-])((?:deploy\/(?!config|secrets|tls)|tests\/)[\w./*-]*\.(?:\w+))/g);
    expect(named).to.have.length.above(20);
    for (const [page, path] of named) {
      const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*')}$`);
      const exists = existsSync(join(PROJECT_ROOT, path)) || files.some((file) => pattern.test(file));
      expect(exists, `${page}: ${path}`).to.equal(true);
    }
  });
});
