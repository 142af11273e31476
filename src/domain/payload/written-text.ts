import type { Issue } from '../model/issue.ts';

/** One part of the text to sign, or the field of `data` of which it can't be written. */
export type WrittenText =
  | {
      readonly ok: true;
      readonly text: string;
      /** Whether it was made here, of an object or a number, so that the caller has to send it as it is written here. */
      readonly isMade: boolean;
    }
  | { readonly ok: false; readonly issue: Issue };

/** A text as the caller sent it. */
export function sentText(text: string): WrittenText {
  return { ok: true, text, isMade: false };
}

/** A text that was made of something else. */
export function madeText(text: string): WrittenText {
  return { ok: true, text, isMade: true };
}

/** There is no text: `message` says what must stand at `path`. */
export function noText(path: string, message: string): WrittenText {
  return { ok: false, issue: { path, message } };
}
