import type { ReloadNote } from '../../../domain/model/reload-note.ts';
import type { ReloadReport } from './schemas/answers/reload-answers.ts';

/** How the latest reading of the configuration went, as operators see it; null before the first has ended. */
export function reloadView(note: ReloadNote | null): ReloadReport | null {
  if (note === null) return null;
  const { at, trigger, outcome, issues } = note;
  return { at, trigger, outcome, issues: issues.map(({ path, message }) => ({ path, message })) };
}
