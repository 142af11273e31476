import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyNode, parse } from 'acorn';

const BUILT = resolve(import.meta.dirname, '../../dist');

/** TypeScript's own helper for imports of paths that are known at run time; no caller gives such a path. */
const COMPILER_HELPER = '__rewriteRelativeImportExtension';

/** Regular expressions of one built file. */
export interface FilePatterns {
  /** Inside `dist`. */
  readonly file: string;
  readonly literals: readonly RegExp[];
  /** Places where one is made of text. */
  readonly constructions: number;
}

/** Every regular expression of the built programs (`npm test` builds first), which are JavaScript and so can be parsed without TypeScript's interface, of which version 7 has none. */
export function patternsInPrograms(): readonly FilePatterns[] {
  const files = readdirSync(BUILT, { recursive: true }).map(String);
  return files.filter((file) => file.endsWith('.js')).map(patternsOf);
}

/** The patterns that a file makes of texts while it loads. */
export async function constructedPatterns(file: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = [];
  const Original = RegExp;
  const record = (pattern: RegExp) => {
    if (isOfPrograms(new Error().stack ?? '')) made.push(pattern);
    return pattern;
  };
  globalThis.RegExp = new Proxy(Original, {
    construct: (_target, [source, flags]) => record(new Original(source, flags)),
    apply: (_target, _self, [source, flags]) => record(new Original(source, flags)),
  });
  try {
    // As a module of its own: it may have been loaded before.
    await import(`${pathToFileURL(join(BUILT, file)).href}?patterns`);
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

/** Whether the innermost frame that is none of this file's is of a built program: what it loads makes patterns as well. */
function isOfPrograms(stack: string): boolean {
  const [caller = ''] = stack
    .split('\n')
    .slice(1)
    .filter((frame) => !frame.includes(import.meta.filename));
  return caller.includes(`${BUILT}/`);
}

function patternsOf(file: string): FilePatterns {
  const text = readFileSync(join(BUILT, file), 'utf8');
  const found: AnyNode[] = [];
  const isOwn = (node: AnyNode) =>
    !(node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name === COMPILER_HELPER);
  walk(parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }), isOwn, (node) =>
    found.push(node),
  );
  const literals = found.flatMap((node) => (node.type === 'Literal' && node.regex ? [node.regex] : []));
  return {
    file,
    literals: literals.map(({ pattern, flags }) => new RegExp(pattern, flags)),
    constructions: found.filter(isConstruction).length,
  };
}

function isConstruction(node: AnyNode): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
  return node.callee.type === 'Identifier' && node.callee.name === 'RegExp';
}

function walk(node: unknown, isEntered: (node: AnyNode) => boolean, visit: (node: AnyNode) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const each of node) walk(each, isEntered, visit);
    return;
  }
  if (!('type' in node)) return;
  if (!isEntered(node as AnyNode)) return;
  visit(node as AnyNode);
  for (const value of Object.values(node)) walk(value, isEntered, visit);
}
