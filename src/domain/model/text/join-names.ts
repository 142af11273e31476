/** Names in a sentence. @example joinNames(['a', 'b', 'c'], 'or') // 'a, b or c' */
export function joinNames(names: readonly string[], word: 'and' | 'or'): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(` ${word} `);
}
