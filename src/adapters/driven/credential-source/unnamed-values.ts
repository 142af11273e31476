import type { FixedValues } from '../../../domain/model/fixed-values.ts';
import type { PayloadRule } from '../../../domain/model/payload-rule.ts';
import { namedValues } from '../../../domain/payload/needed-values.ts';
import { type CredentialFault, type FaultPath, isQuotableName } from './credential-fault.ts';

/** Names of fixed values that no template of a payload rule names: misspelt ones, whose value would never be signed. */
export function unnamedValues(rule: PayloadRule, values: FixedValues | undefined): readonly string[] {
  // Most of a hundred thousand accounts have none.
  if (values === undefined) return [];
  const named = namedValues(rule);
  return Object.keys(values).filter((name) => !named.includes(name));
}

/** The names that a payload rule takes, for a message: `it takes apiKey, recvWindow`. */
export function takenValuesText(rule: PayloadRule): string {
  const named = namedValues(rule);
  return named.length === 0 ? 'it takes no values' : `it takes ${named.join(', ')}`;
}

/**
 * One fault for each of `values` that no template names.
 * @param path of `values` in the file
 * @param owner whose templates they are, for the message
 */
export function unnamedValueFaults(
  path: FaultPath,
  values: FixedValues | undefined,
  rule: PayloadRule,
  owner: string,
): readonly CredentialFault[] {
  const unnamed = unnamedValues(rule, values);
  if (unnamed.length === 0) return [];
  const message = `is named by no template of ${owner}; ${takenValuesText(rule)}`;
  return unnamed.map((name) =>
    isQuotableName(name) ? { path: [...path, name], message } : { path, message: `has a name that ${message}` },
  );
}
