import type { Issue } from '../model/errors.ts';
import { memoizeRecent } from '../model/memoize.ts';
import { hasControlCharacter } from '../model/text/unsafe-characters.ts';
import type { RuleIssue } from './rule-module.ts';

/** Placeholders for parts of the request. */
const REQUEST_PLACEHOLDERS = ['timestamp', 'METHOD', 'method', 'path', 'query', '?query', 'body'] as const;

/** See {@link REQUEST_PLACEHOLDERS}. */
export type RequestPlaceholder = (typeof REQUEST_PLACEHOLDERS)[number];

/** Literal text, and placeholders without their braces. */
export type TemplateToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'request'; readonly name: RequestPlaceholder }
  | { readonly kind: 'data'; readonly name: string }
  | { readonly kind: 'account'; readonly name: string };

const PLACEHOLDER = /\{[^{}]*\}/g;
const NAMED_PLACEHOLDER = /^\{(data|account)\.([A-Za-z][A-Za-z0-9_]{0,31})\}$/;
const REQUEST_LIST = [...REQUEST_PLACEHOLDERS.map((name) => `{${name}}`), '{data.NAME}'].join(', ');
const PLACEHOLDER_LIST = `${REQUEST_LIST}, {account.NAME}`;

const REQUEST_TOKENS: ReadonlyMap<string, TemplateToken> = new Map(
  REQUEST_PLACEHOLDERS.map((name) => [`{${name}}`, { kind: 'request', name }]),
);

/**
 * What is wrong with a `prehash` template: an unknown placeholder, an unmatched brace, no part of
 * the request (every request would sign the same bytes), a lone surrogate. The issue's path is
 * empty.
 */
export function findTemplateIssue(template: string): Issue | undefined {
  const issue = findSyntaxIssue(template);
  if (issue !== undefined) return issue;
  if (parseTemplate(template).some(({ kind }) => kind === 'request' || kind === 'data')) return undefined;
  return { path: '', message: `must contain at least one of the placeholders ${REQUEST_LIST}` };
}

/**
 * What is wrong with a `prefix` or `suffix` of a `query` rule. It may have no placeholder of the
 * request; it cannot contain the query itself.
 */
export function findAffixIssue(affix: string): Issue | undefined {
  const issue = findSyntaxIssue(affix);
  if (issue !== undefined) return issue;
  const hasQuery = parseTemplate(affix).some(
    (token) => token.kind === 'request' && (token.name === 'query' || token.name === '?query'),
  );
  return hasQuery
    ? { path: '', message: 'must not contain {query} or {?query}: the rule adds the parameters' }
    : undefined;
}

/** Placeholders of the request in a token's members. */
const TOKEN_PLACEHOLDERS: readonly RequestPlaceholder[] = ['METHOD', 'method', 'path'];

/** What is wrong with a template of a token's header or claims; it may have no placeholder. */
export function findTokenTemplateIssue(template: string): Issue | undefined {
  const issue = findSyntaxIssue(template);
  if (issue !== undefined) return issue;
  const isForeign = (token: TemplateToken) => token.kind === 'request' && !TOKEN_PLACEHOLDERS.includes(token.name);
  if (!parseTemplate(template).some(isForeign)) return undefined;
  return {
    path: '',
    message: 'must contain no other placeholders than {METHOD}, {method}, {path}, {data.NAME} and {account.NAME}',
  };
}

/** Parses a valid template; an empty text has no tokens. */
export const parseTemplate = memoizeRecent((template: string): readonly TemplateToken[] =>
  template
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => parsePlaceholder(piece) ?? { kind: 'text', text: piece }),
);

/**
 * Whether control characters, which members of `data` do not have, or the ends of the text are on
 * both sides of a token.
 */
export function isDelimited(tokens: readonly TemplateToken[], index: number): boolean {
  return endsInControlCharacter(tokens[index - 1], -1) && endsInControlCharacter(tokens[index + 1], 0);
}

function endsInControlCharacter(token: TemplateToken | undefined, at: 0 | -1): boolean {
  return token === undefined || (token.kind === 'text' && hasControlCharacter(token.text.at(at) ?? ''));
}

function findSyntaxIssue(template: string): Issue | undefined {
  if (/[{}]/.test(template.replace(PLACEHOLDER, ''))) {
    return { path: '', message: `has an unmatched brace; the placeholders are ${PLACEHOLDER_LIST}` };
  }
  const placeholders = template.match(PLACEHOLDER) ?? [];
  if (placeholders.some((placeholder) => parsePlaceholder(placeholder) === undefined)) {
    return { path: '', message: `has an unknown placeholder; the placeholders are ${PLACEHOLDER_LIST}` };
  }
  if (!template.isWellFormed()) {
    return { path: '', message: 'must be well-formed Unicode; it contains a lone surrogate' };
  }
  return undefined;
}

function parsePlaceholder(piece: string): TemplateToken | undefined {
  const [, kind, name] = NAMED_PLACEHOLDER.exec(piece) ?? [];
  if (name !== undefined) return { kind: kind === 'data' ? 'data' : 'account', name };
  return REQUEST_TOKENS.get(piece);
}

/** Placeholders that options fill. */
const PLACEHOLDERS_OF_OPTION = {
  timestamp: ['timestamp'],
  path: ['path'],
  query: ['query', '?query'],
  body: ['body'],
  bodyHash: ['body'],
} as const satisfies { readonly [option: string]: readonly RequestPlaceholder[] };

/**
 * Options without effect: their author expects something to be signed that is not.
 *
 * @param location of the templates, for messages
 */
export function findUnusedOptions(
  rule: object,
  options: readonly (keyof typeof PLACEHOLDERS_OF_OPTION)[],
  templates: readonly string[],
  location: string,
): readonly RuleIssue[] {
  const tokens = templates.flatMap(parseTemplate);
  const isUsed = (name: RequestPlaceholder): boolean =>
    tokens.some((token) => token.kind === 'request' && token.name === name);
  return options
    .filter((option) => Object.hasOwn(rule, option) && !PLACEHOLDERS_OF_OPTION[option].some(isUsed))
    .map((option) => ({
      path: [option],
      message: `has no effect without ${PLACEHOLDERS_OF_OPTION[option].map((name) => `{${name}}`).join(' or ')} in ${location}; remove it, or add the placeholder`,
    }));
}
