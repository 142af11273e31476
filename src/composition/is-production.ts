/** NODE_ENV is `production`, or what somebody who meant that may have written: `Production`, `prod`, with blanks around. It stands alone, so that it can be asked before anything else loads. */
export function isProduction(environment: { readonly [name: string]: string | undefined }): boolean {
  return /^\s*prod(?:uction)?\s*$/i.test(environment['NODE_ENV'] ?? '');
}
