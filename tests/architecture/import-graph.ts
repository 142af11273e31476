import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** What each source file imports: files as paths from the project's root, packages and Node's modules as `<name>`. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Import, export-from, side-effect import, `import =` and every `import(…)` or `require(…)` of a literal, types included. */
const IMPORTS =
  /^[ \t]*(?:import|export)\b(?:[^'"`;()]*?\bfrom)?\s*(['"])(?<declared>[^'"\n]+)\1|\b(?:import|require)\s*\(\s*(['"`])(?<called>[^'"`\n]+)\3/gm;

/** Specifiers in the order in which they stand in `source`. */
export function findImports(source: string): readonly string[] {
  return [...source.matchAll(IMPORTS)].map(({ groups }) => groups?.['declared'] ?? groups?.['called'] ?? '');
}

/** The import's target as {@link ImportGraph} writes it. */
export function resolveImport(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : `<${specifier}>`;
}

/** Reads all TypeScript files under `src` of the project at `root`. */
export async function readImportGraph(root: string): Promise<ImportGraph> {
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  const graph = new Map<string, readonly string[]>();
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const file = path.slice(join(root, '/').length).replaceAll('\\', '/');
    const imports = findImports(await readFile(path, 'utf8'));
    graph.set(
      file,
      imports.map((specifier) => resolveImport(file, specifier)),
    );
  }
  return graph;
}
