import type { DataFormat } from '../domain/model/data-format.ts';
import type { Issue } from '../domain/model/issue.ts';
import type { JsonObject } from '../domain/model/json.ts';

/** Checks that `data` has the shape its platform's format asks for. */
export interface DataFormatValidator {
  /** Every fault, with paths that begin with `data`; empty when the shape is right. */
  findIssues(format: DataFormat, data: JsonObject): readonly Issue[];
}
