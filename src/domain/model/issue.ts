/** One thing that is wrong with what a caller or an operator wrote. */
export interface Issue {
  /** Where it is wrong, as a path: `data.instruction.price`, `requests[3].requestId`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong and what would be right. Never the offending value itself. */
  readonly message: string;
}
