/**
 * Closed pattern of a principal, the name of a caller that was proved: 1 to 256 of letters, digits, `. _ : @ / = + , -` and space, a letter or digit first, no space last. What fits can
 * stand in a pattern of the permissions, in a log and in an audit line without escaping.
 */
export const PRINCIPAL_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._:@/=+, -]{0,254}[A-Za-z0-9._:@/=+,-])?$/;

/** Stands in permissions for callers who did not prove who they are; nobody else bears that name. */
export const ANONYMOUS = 'anonymous';

/** Whether a caller may bear this name. */
export function isPrincipal(text: string): boolean {
  return text !== ANONYMOUS && PRINCIPAL_PATTERN.test(text);
}
