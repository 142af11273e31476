import type { Issue } from '../model/issue.ts';

/** What was read of a document, or what of it stands in the way. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issue: Issue };

/** A part was read. */
export function readable<Value>(value: Value): Reading<Value> {
  return { ok: true, value };
}

/** What stands at `path` can't be read. */
export function unreadable(path: string, message: string): { readonly ok: false; readonly issue: Issue } {
  return { ok: false, issue: { path, message } };
}
