/** NODE_ENV is `production`, in whatever case. It stands alone, so that it can be asked before anything else loads. */
export function isProduction(environment: { readonly [name: string]: string | undefined }): boolean {
  return environment['NODE_ENV']?.toLowerCase() === 'production';
}
