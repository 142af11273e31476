/** JSON as text in which anything can stand anywhere: members twice, names and scalars that are no JSON. */
export type JsonTree =
  /** As it is written. */
  | { readonly text: string }
  | { readonly items: readonly JsonTree[] }
  /** Names as they are written, quotes included. */
  | { readonly members: readonly (readonly [name: string, value: JsonTree])[] };

export function treeOf(value: unknown): JsonTree {
  if (Array.isArray(value)) return { items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) ?? 'null' };
  return { members: Object.entries(value).map(([name, inner]) => [JSON.stringify(name), treeOf(inner)]) };
}

export function textOf(tree: JsonTree): string {
  if ('text' in tree) return tree.text;
  if ('items' in tree) return `[${tree.items.map(textOf).join(',')}]`;
  return `{${tree.members.map(([name, value]) => `${name}:${textOf(value)}`).join(',')}}`;
}

/** Nodes of the tree, itself included. */
export function sizeOf(tree: JsonTree): number {
  return childrenOf(tree).reduce((sum, child) => sum + sizeOf(child), 1);
}

/** The tree with its node of that number, counted from 0 in the order of the text, changed. */
export function changeAt(tree: JsonTree, number: number, change: (node: JsonTree) => JsonTree): JsonTree {
  if (number === 0) return change(tree);
  if ('text' in tree) return tree;
  let left = number - 1;
  const changed = (child: JsonTree): JsonTree => {
    const size = sizeOf(child);
    const result = left >= 0 && left < size ? changeAt(child, left, change) : child;
    left -= size;
    return result;
  };
  if ('items' in tree) return { items: tree.items.map(changed) };
  return { members: tree.members.map(([name, value]) => [name, changed(value)]) };
}

function childrenOf(tree: JsonTree): readonly JsonTree[] {
  if ('text' in tree) return [];
  return 'items' in tree ? tree.items : tree.members.map(([, value]) => value);
}
