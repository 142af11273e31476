import type { z } from 'zod';
import { type CredentialFault, type FaultPath, isQuotableName } from './credential-fault.ts';

type SchemaIssue = z.core.$ZodIssue;

const TYPE_NAMES: { readonly [name: string]: string } = {
  array: 'an array',
  object: 'an object',
  string: 'a string',
};

/** Words for what a schema found where it has none of its own. zod's own words may repeat the file's content. */
export function schemaMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is required';
  if (issue.code === 'invalid_type') return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union' && Array.isArray(issue['options'])) {
    return `must be one of ${issue['options'].map(String).join(', ')}`;
  }
  return 'is not allowed here';
}

/** What a schema found, as faults of the file. Use {@link schemaMessage} as the error option of the parse. */
export function schemaFaults(issues: readonly SchemaIssue[], root: FaultPath = []): readonly CredentialFault[] {
  return issues.flatMap((issue) => faultsOf(issue, root));
}

function faultsOf(issue: SchemaIssue, root: FaultPath): readonly CredentialFault[] {
  const path = [...root, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownField(path, name));
  // The wrong name is the last step of the path; it may be anything.
  if (issue.code === 'invalid_key') return schemaFaults(issue.issues, path.slice(0, -1));
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((issues) => issues.every(({ code }) => code !== 'unrecognized_keys'));
    // One variant of the union knows every field that is there: what is wrong with it says more than that no variant fits.
    if (meant.length === 1) return schemaFaults(meant[0] ?? [], path);
  }
  return [{ path, message: issue.message }];
}

function unknownField(path: FaultPath, name: string): CredentialFault {
  if (!isQuotableName(name)) return { path, message: 'has a field whose name is not known here; remove it' };
  return { path: [...path, name], message: 'is not a known field; check its spelling or remove it' };
}
