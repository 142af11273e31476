/** The operators' log: what happened, never key material and never a caller's data. */
export interface ServiceLog {
  info(message: string, facts?: { readonly [name: string]: unknown }): void;
  warn(message: string, facts?: { readonly [name: string]: unknown }): void;
  /** `facts.cause` may be an Error; its message and stack are logged. */
  error(message: string, facts?: { readonly [name: string]: unknown }): void;
}
