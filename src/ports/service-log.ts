/** The operators' log, without key material and callers' data. */
export interface ServiceLog {
  info(message: string, facts?: { readonly [name: string]: unknown }): void;
  warn(message: string, facts?: { readonly [name: string]: unknown }): void;
  /** Logs message and stack of an Error in `facts.cause`. */
  error(message: string, facts?: { readonly [name: string]: unknown }): void;
}
