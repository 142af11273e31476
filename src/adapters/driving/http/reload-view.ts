import type { JsonObject } from '../../../domain/model/json.ts';
import type { ReloadNote } from '../../../domain/model/reload-note.ts';

/** How the latest reading of the configuration went, as operators see it; null before the first has ended. */
export function reloadView(note: ReloadNote | null): JsonObject | null {
  if (note === null) return null;
  const { at, trigger, outcome, issues } = note;
  return { at, trigger, outcome, issues: issues.map(({ path, message }) => ({ path, message })) };
}
