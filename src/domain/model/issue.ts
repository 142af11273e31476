/** One thing that is wrong with input of a caller or operator. */
export interface Issue {
  /** Path: `data.instruction.price`, `requests[3].requestId`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong and what would be right. Never the offending value itself. */
  readonly message: string;
}

/** A sentence for operators: `path: message; path: message.` */
export function formatIssues(issues: readonly Issue[]): string {
  const clauses = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  // Some messages are sentences.
  return `${clauses.map((clause) => clause.replace(/\.$/, '')).join('; ')}.`;
}
