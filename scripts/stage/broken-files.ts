import { rmSync, writeFileSync } from 'node:fs';

/** Ways in which a credentials file can be wrong, and what puts it there. `text` is that of a good one. */
export const BROKEN_FILES: { readonly [name: string]: (path: string, text: string) => void } = {
  empty: (path) => writeFileSync(path, ''),
  'half written': (path, text) => writeFileSync(path, text.slice(0, text.length / 2)),
  'no JSON': (path) => writeFileSync(path, 'accounts: none\n'),
  'keys of other accounts': (path, text) => writeFileSync(path, swapFirstKeys(text)),
  'an altered key': (path, text) => writeFileSync(path, alterFirstKey(text)),
  missing: (path) => rmSync(path),
};

function alterFirstKey(text: string): string {
  return text.replace(/(v1\.[0-9a-f]{16}\.)(.)/, (_, start, digit) => `${start}${digit === 'A' ? 'B' : 'A'}`);
}

/** Puts the sealed key of the first account into the second and the other way round. */
function swapFirstKeys(text: string): string {
  const [first = '', second = ''] = text.match(/v1\.[0-9a-f]{16}\.[\w-]+\.[\w-]+/g) ?? [];
  return text.replace(first, '\u0000').replace(second, first).replace('\u0000', second);
}
