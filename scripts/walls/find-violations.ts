import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { type Import, init, parse } from 'es-module-lexer';
import { FOLDERS, LIBRARIES } from './import-table.ts';

/** Ways around the compiler, the linter and this check, in code or comments of the core. */
const BACK_DOORS =
  /\bdeclare\s|\/\/\/\s*<\s*reference|@ts-\w+|\bglobalThis\b|\b(?:import|require|eval)\s*\(|\bFunction\b|\.constructor\b/g;

const CORE = /^src\/(?:domain|ports)\//;

/** `import('…')`, also as a type, which the lexer may skip. */
const CALLED_IMPORT = /\bimport\s*\((?:\s|\/\*.*?\*\/)*['"`]([^'"`]*)['"`]/gs;

/** A module of Node without an import. */
const BUILTIN = /\bgetBuiltinModule\b(?:\s*\(\s*['"`]([^'"`]*)['"`])?/g;

const COMPUTED = 'a computed path';

/** A statement that imports by names only, without comments, which could hide one. */
const NAMED = /^(?:import|export)(?:\s+type)?\s*\{([^}/]*)\}\s*from\b/;

/** A name of its list, before `as`. */
const NAME = /(?:^|,)\s*(?:type\s+)?([^\s,]+)/g;

/**
 * Every import of `sources`, texts by path (`src/…`), that the table has no row for, and every
 * back door in the core: one line each, with the reason of the row.
 */
export async function findViolations(sources: ReadonlyMap<string, string>): Promise<readonly string[]> {
  await init();
  return [...sources].flatMap(([path, text]) => {
    const from = folderOf(path);
    if (from === undefined) return [`${path} is in no folder of the table`];
    const calls = [...text.matchAll(CALLED_IMPORT), ...text.matchAll(BUILTIN)];
    const called = calls.map(([, target = COMPUTED]) => ({ target, names: ['*'] }));
    const found = [...parse(text, path)[0].flatMap((one) => toImport(text, one)), ...called];
    const imports = found.filter(({ target, names }) => !isAllowed(path, from, target, names));
    const doors = CORE.test(path)
      ? [...text.matchAll(BACK_DOORS)].map(([door]) => `${path} evades checks: ${door}`)
      : [];
    const declarations = CORE.test(path) && path.endsWith('.d.ts') ? [`${path} declares what nothing implements`] : [];
    const lines = imports.map(({ target }) => `${path} imports ${target}. ${reason(from, target)}`);
    return [...new Set([...lines, ...doors, ...declarations])];
  });
}

/** All sources of a project, for {@link findViolations}. */
export function readSources(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file));
  return new Map(files.map((file) => [relative(root, file).replaceAll(sep, '/'), textOf(file)]));
}

/** Without a byte order mark, behind which the lexer misses an import. */
function textOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
}

/** The row of a file. */
function folderOf(path: string): string | undefined {
  const rows = Object.keys(FOLDERS).filter((folder) => isIn(path, folder));
  return rows.toSorted((a, b) => b.length - a.length)[0];
}

function isIn(path: string, folder: string): boolean {
  return path === `src/${folder}` || path.startsWith(`src/${folder}/`);
}

function toImport(text: string, { type, specifier, importStart, importEnd }: Import) {
  if (type === 'import-meta') return [];
  const [, list] = NAMED.exec(text.slice(importStart, importEnd)) ?? [];
  const names = list === undefined ? ['*'] : [...list.matchAll(NAME)].map(([, name = '']) => name);
  return [{ target: specifier ?? COMPUTED, names }];
}

function isAllowed(path: string, from: string, target: string, names: readonly string[]): boolean {
  // Node takes it for a slash.
  if (target.includes('\\')) return false;
  if (target.startsWith('.')) {
    const file = posix.join(posix.dirname(path), target);
    return [from, ...(FOLDERS[from]?.may ?? [])].some((folder) => isIn(file, folder));
  }
  return LIBRARIES.some((row) => {
    const isNode = row.library === 'node:*' && target.startsWith('node:') && target !== 'node:module';
    const isNamed = row.only === undefined || names.every((name) => row.only?.includes(name));
    return (isNode || row.library === target) && row.in.includes(from) && isNamed;
  });
}

/** Why it is not allowed: not by that name, or not at all. */
function reason(from: string, target: string): string {
  const row = LIBRARIES.find(({ library, in: folders }) => library === target && folders.includes(from));
  return row?.why ?? `${from}: ${FOLDERS[from]?.why}`;
}
