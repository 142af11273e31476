import type { Issue } from '../model/issue.ts';
import { isWellFormedText } from './signable-json.ts';

/** Placeholders that stand for a part of the request. */
export const REQUEST_PLACEHOLDERS = ['timestamp', 'METHOD', 'method', 'path', 'query', '?query', 'body'] as const;

/** See {@link REQUEST_PLACEHOLDERS}. */
export type RequestPlaceholder = (typeof REQUEST_PLACEHOLDERS)[number];

/** What a template is made of: texts that stay as they are, and placeholders without their braces. */
export type TemplateToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'request'; readonly name: RequestPlaceholder }
  /** `{data.NAME}`: a member of `data`. */
  | { readonly kind: 'data'; readonly name: string }
  /** `{account.NAME}`: a fixed value. */
  | { readonly kind: 'account'; readonly name: string };

const PLACEHOLDER = /\{[^{}]*\}/g;
const NAMED_PLACEHOLDER = /^\{(data|account)\.([A-Za-z][A-Za-z0-9_]{0,31})\}$/;
const OF_A_REQUEST = [...REQUEST_PLACEHOLDERS.map((name) => `{${name}}`), '{data.NAME}'].join(', ');
const KNOWN = `${OF_A_REQUEST}, {account.NAME}`;

const REQUEST_TOKENS: ReadonlyMap<string, TemplateToken> = new Map(
  REQUEST_PLACEHOLDERS.map((name) => [`{${name}}`, { kind: 'request', name }]),
);

/**
 * What is wrong with the template of a `prehash` rule, for those who read configuration: an unknown placeholder, a brace without its partner, nothing
 * of the request (every request would sign the same bytes), a text without a UTF-8 form. The issue's path is empty: the template itself.
 */
export function findTemplateIssue(template: string): Issue | undefined {
  const issue = findSyntaxIssue(template);
  if (issue !== undefined) return issue;
  if (templateTokens(template).some(({ kind }) => kind === 'request' || kind === 'data')) return undefined;
  return { path: '', message: `must have at least one of the placeholders ${OF_A_REQUEST}` };
}

/**
 * The same for a `prefix` or `suffix` of a `query` rule. It may be a text without a placeholder, or of the account alone, since the parameters are of
 * the request; the query is what it stands beside, so it can't name one.
 */
export function findAffixIssue(affix: string): Issue | undefined {
  const issue = findSyntaxIssue(affix);
  if (issue !== undefined) return issue;
  const namesQuery = templateTokens(affix).some(
    (token) => token.kind === 'request' && (token.name === 'query' || token.name === '?query'),
  );
  return namesQuery
    ? { path: '', message: 'must not name {query} or {?query}: the parameters stand beside it' }
    : undefined;
}

/** The tokens of a template that {@link findTemplateIssue} or {@link findAffixIssue} has nothing against; none is an empty text. */
export function templateTokens(template: string): readonly TemplateToken[] {
  return template
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => placeholderToken(piece) ?? { kind: 'text', text: piece });
}

function findSyntaxIssue(template: string): Issue | undefined {
  if (/[{}]/.test(template.replace(PLACEHOLDER, ''))) {
    return { path: '', message: `has a brace without its partner; placeholders are ${KNOWN}` };
  }
  const placeholders = template.match(PLACEHOLDER) ?? [];
  if (placeholders.some((placeholder) => placeholderToken(placeholder) === undefined)) {
    return { path: '', message: `has an unknown placeholder; the known ones are ${KNOWN}` };
  }
  if (!isWellFormedText(template)) {
    return { path: '', message: 'must be well-formed Unicode; it holds a lone surrogate' };
  }
  return undefined;
}

function placeholderToken(piece: string): TemplateToken | undefined {
  const [, kind, name] = NAMED_PLACEHOLDER.exec(piece) ?? [];
  if (name !== undefined) return { kind: kind === 'data' ? 'data' : 'account', name };
  return REQUEST_TOKENS.get(piece);
}
