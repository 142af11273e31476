import type { z } from 'zod';
import type { DataFormat } from '../../../domain/model/data-format.ts';
import { type Issue, onePerPath } from '../../../domain/model/issue.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { DataFormatValidator } from '../../../ports/data-format-validator.ts';
import { formatAFlat, formatAInstruction, formatAny, formatB, formatC, formatD } from './data-formats.ts';

type ZodIssue = z.core.$ZodIssue;

type Steps = readonly PropertyKey[];

const SCHEMAS: { readonly [Format in DataFormat]: (data: JsonObject) => z.ZodType } = {
  A: (data) => (Object.hasOwn(data, 'instruction') ? formatAInstruction : formatAFlat),
  B: () => formatB,
  C: () => formatC,
  D: () => formatD,
  any: () => formatAny,
};

/** Checks data against the zod schemas of `data-formats.ts`. What zod parses is dropped: data is signed as it came. */
export class ZodDataFormatValidator implements DataFormatValidator {
  findIssues(format: DataFormat, data: JsonObject): readonly Issue[] {
    const result = SCHEMAS[format](data).safeParse(data);
    if (result.success) return [];
    // A number can be both no integer and below zero.
    return onePerPath(result.error.issues.flatMap((issue) => toIssues(issue, ['data'])));
  }
}

function toIssues(issue: ZodIssue, parent: Steps): readonly Issue[] {
  const steps = [...parent, ...issue.path];
  const branch = issue.code === 'invalid_union' ? issue.errors.find(isRightKindOfValue) : undefined;
  if (branch !== undefined) return branch.flatMap((inner) => toIssues(inner, steps));
  return [{ path: steps.map(String).join('.'), message: issue.message }];
}

/** A union's alternative that got a value of its own type, and found all its faults inside that. */
function isRightKindOfValue(issues: readonly ZodIssue[]): boolean {
  return issues.length > 0 && issues.every(({ path }) => path.length > 0);
}
