/** Names and indices from the root of the file to a place in it: `['accounts', 3, 'key']`. */
export type FaultPath = readonly (string | number)[];

/** One thing that is wrong in the credentials file, before its line is looked up. */
export interface CredentialFault {
  readonly path: FaultPath;
  /** What is wrong and what would be right; nothing of the file's content but names of its fields. */
  readonly message: string;
  /** Where it is in the text, in UTF-16 code units from its start; absent: where `path` leads. */
  readonly offset?: number;
}

/** A path as people write it: `accounts[3].key`. */
export function pathText(path: FaultPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Longer names, and names with other characters, may be anything, a key pasted into the wrong place included. */
const QUOTABLE_NAME = /^\$?[A-Za-z][A-Za-z0-9_]{0,23}$/;

/** Whether a field name that the file made up may stand in a message. */
export function isQuotableName(name: string): boolean {
  return QUOTABLE_NAME.test(name);
}
