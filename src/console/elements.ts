/** Content of an element. A string is text, whatever it contains. */
export type Part = Node | string;

/** The element of `index.html` with this id. */
export function find<Type extends Element = HTMLElement>(id: string): Type {
  return document.getElementById(id) as Element as Type;
}

/** Makes an element. */
export function element(tag: string, attributes: { readonly [name: string]: string }, ...parts: readonly Part[]) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...parts);
  return made;
}

/** Replaces the content of an element, unless it is the same or selected, such as to be copied. */
export function show(id: string, ...parts: readonly Part[]): void {
  const target = find(id);
  const next = target.cloneNode();
  for (const part of parts) next.appendChild(typeof part === 'string' ? new Text(part) : part);
  const selection = getSelection();
  const isSelected = selection?.type === 'Range' && selection.containsNode(target, true);
  if (!isSelected && !next.isEqualNode(target)) target.replaceChildren(...next.childNodes);
}

/** Shows rows in the body of a table; their cells have label and class of the column's head. */
export function showRows(id: string, rows: readonly (readonly Part[])[]): void {
  const heads = [...(find(id).closest('table')?.querySelectorAll('thead th') ?? [])];
  const toCell = (part: Part, at: number) => {
    const attributes = { class: heads[at]?.className ?? '', 'data-label': heads[at]?.textContent ?? '' };
    return at === 0 ? element('th', { ...attributes, scope: 'row' }, part) : element('td', attributes, part);
  };
  const none = element('td', { class: 'none', colspan: String(heads.length) }, 'None');
  const shown = rows.length === 0 ? [[none]] : rows.map((row) => row.map(toCell));
  show(id, ...shown.map((cells) => element('tr', {}, ...cells)));
}
