import type { Request, RequestHandler } from 'express';
import { type Issue, onePerPath } from '../../../domain/model/issue.ts';
import { invalidDataFormat } from '../../../domain/model/refusal.ts';
import { MAX_ISSUES } from './body-issues.ts';
import type { HttpRefusal } from './http-refusal.ts';
import type { Route } from './route.ts';

/** Names that a response may repeat. */
const SHOWN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/;

/**
 * The rule for the query of every endpoint: known parameters, each at most once.
 * @param known names of the endpoint's parameters
 * @returns `INVALID_DATA_FORMAT` with an issue for each parameter that breaks the rule (its path is
 * empty where the name must not be repeated), or null
 */
export function queryRefusal(query: Request['query'], known: readonly string[]): HttpRefusal | null {
  const issues = Object.entries(query).flatMap(([name, value]) => issuesOf(name, value, known));
  return issues.length === 0 ? null : invalidDataFormat(onePerPath(issues.slice(0, MAX_ISSUES)));
}

/** Refuses requests to a route whose query breaks that rule. */
export function checkQuery({ queryParameters, refuse }: Route): RequestHandler {
  return (request, response, next) => {
    const refusal = queryRefusal(request.query, queryParameters);
    return refusal === null ? next() : refuse(response, refusal);
  };
}

function issuesOf(name: string, value: unknown, known: readonly string[]): readonly Issue[] {
  if (!known.includes(name)) {
    const path = SHOWN_NAME.test(name) ? name : '';
    return [{ path, message: `Unknown query parameter: this endpoint takes ${listOf(known)}. Remove it.` }];
  }
  if (typeof value === 'string') return [];
  return [{ path: name, message: 'Repeated query parameter: send it at most once.' }];
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
