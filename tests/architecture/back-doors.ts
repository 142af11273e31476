import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Ways past the compiler's and the linter's walls, by what each is called. They hold for comments too: the core needs none of these words. */
const BACK_DOORS: { readonly [name: string]: RegExp } = {
  'a declaration of something that is not there': /\bdeclare\s/,
  'a reference to other types': /\/\/\/\s*<\s*reference/,
  'a silenced compiler': /@ts-/,
  'the global object': /\bglobalThis\b/,
  'an import that is called': /\bimport\s*\(/,
  'a require that is called': /\brequire\s*\(/,
  'a function made from text': /\bFunction\s*\(/,
  'text that is run': /\beval\s*\(/,
};

/** The folders that are the core. */
const CORE_FOLDERS = ['src/domain', 'src/ports'];

/** Texts of the core's files, by their paths from `root`, the project's. */
export async function readCoreTexts(root: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of CORE_FOLDERS) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      texts.set(path.slice(join(root, '/').length).replaceAll('\\', '/'), await readFile(path, 'utf8'));
    }
  }
  return texts;
}

/** Every back door in files of the core, as `path: name`. A file that only declares types is one itself. */
export function findBackDoors(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts].flatMap(([file, text]) => [
    ...(/\.d\.[cm]?ts$/.test(file) ? [`${file}: a file of declarations`] : []),
    ...Object.entries(BACK_DOORS)
      .filter(([, pattern]) => pattern.test(text))
      .map(([name]) => `${file}: ${name}`),
  ]);
}
