import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import { accepted, type Outcome } from '../model/outcome.ts';
import type { PayloadParts } from '../model/payload.ts';
import type { PrehashRule } from '../model/payload-rule.ts';
import { bodyText } from './body-text.ts';
import { hexText } from './hex-text.ts';
import { methodText } from './method-text.ts';
import { dataValue, fixedValue } from './named-value.ts';
import { pathText } from './path-text.ts';
import type { PayloadContext } from './payload-context.ts';
import { type Rendered, verbatim } from './payload-outcome.ts';
import { requestQuery } from './request-query.ts';
import type { RequestPlaceholder, TemplateToken } from './template.ts';
import { timestampText } from './timestamp-text.ts';

/** How the parts of a request are written in a template's place. */
export type PartForms = { readonly [Name in FormName]?: PrehashRule[Name] | undefined };

type FormName = 'timestamp' | 'query' | 'body' | 'bodyHash' | 'values';

/** A template with its placeholders replaced. */
export interface FilledTemplate {
  readonly text: string;
  /** Those that were made here or stand in the configuration. */
  readonly parts: PayloadParts;
}

/** What placeholders are filled from. */
interface Source {
  readonly data: JsonObject;
  readonly forms: PartForms;
  readonly context: PayloadContext;
}

interface Placeholder {
  /** The part of a request as the caller has to send it. */
  readonly write: (source: Source) => Outcome<Rendered, Issue>;
  /** What stands for it in the text; absent: itself. */
  readonly show?: (text: string, source: Source) => string;
  /** Under which name the caller is told what was made of it. */
  readonly part?: 'timestamp' | 'query' | 'body';
}

const encoder = new TextEncoder();

const writeQuery = ({ data, forms }: Source) => requestQuery(data, forms.query ?? {});
const writeMethod = ({ data }: Source) => methodText(data);

const PLACEHOLDERS: { readonly [Name in RequestPlaceholder]: Placeholder } = {
  timestamp: { write: ({ data, forms }) => timestampText(data, forms.timestamp), part: 'timestamp' },
  METHOD: { write: writeMethod, show: (text) => text.toUpperCase() },
  method: { write: writeMethod, show: (text) => text.toLowerCase() },
  path: { write: ({ data }) => pathText(data) },
  query: { write: writeQuery, part: 'query' },
  '?query': { write: writeQuery, show: (text) => (text === '' ? '' : `?${text}`), part: 'query' },
  body: { write: ({ data, forms }) => bodyText(data, forms.body ?? 'json'), show: hashedBody, part: 'body' },
};

/**
 * Replaces each placeholder once; braces in the parts mean nothing.
 *
 * @param tokens of a template that has no issue
 * @throws Error when a fixed value is missing, which a checked configuration never lets happen
 */
export function fillTemplate(
  tokens: readonly TemplateToken[],
  forms: PartForms,
  data: JsonObject,
  context: PayloadContext,
): Outcome<FilledTemplate, Issue> {
  const source = { data, forms, context };
  const parts: { -readonly [Name in keyof PayloadParts]: PayloadParts[Name] } = {};
  let text = '';
  for (const token of tokens) {
    const { show, part, write } = placeholderOf(token);
    const written = write(source);
    if (!written.ok) return written;
    if (part !== undefined && written.value.isMade) parts[part] = written.value.text;
    if (token.kind === 'account') parts.values = { ...parts.values, [token.name]: written.value.text };
    text += show === undefined ? written.value.text : show(written.value.text, source);
  }
  return accepted({ text, parts });
}

function placeholderOf(token: TemplateToken): Placeholder {
  switch (token.kind) {
    case 'text':
      return { write: () => verbatim(token.text) };
    case 'request':
      return PLACEHOLDERS[token.name];
    case 'data':
      return { write: ({ data }) => dataValue(data, token.name) };
    case 'account':
      return { write: ({ forms, context }) => verbatim(fixedValue(token.name, context.values, forms.values ?? {})) };
  }
}

function hashedBody(text: string, { forms, context }: Source): string {
  const algorithm = forms.bodyHash ?? 'none';
  return algorithm === 'none' ? text : hexText(context.hasher.digest(algorithm, encoder.encode(text)));
}
