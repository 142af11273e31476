import type { JsonObject } from '../model/json.ts';
import { accepted, type Outcome } from '../model/outcome.ts';
import type { PayloadParts } from '../model/payload.ts';
import type { FixedValues, PrehashRule } from '../model/payload-rule.ts';
import type { Issue } from '../model/refusal.ts';
import { encodeHex } from '../model/text/byte-encodings.ts';
import { ownMember } from '../model/text/json-path.ts';
import { type PayloadContext, type Rendered, verbatim } from './payload-outcome.ts';
import { renderBody, renderMethod, renderPath, renderRequestQuery, renderValue } from './request-parts.ts';
import { renderTimestamp } from './request-timestamp.ts';
import type { RequestPlaceholder, TemplateToken } from './template.ts';

/**
 * Renders `{account.NAME}`: the account's value, else the rule's.
 * @throws Error without either, which a validated configuration rules out (see `requiredValues`)
 */
function fixedValue(name: string, accountValues: FixedValues, ruleValues: FixedValues): string {
  const value = Object.hasOwn(accountValues, name) ? accountValues[name] : ownMember(ruleValues, name);
  if (typeof value !== 'string')
    throw new Error(`The account has no value named ${name}, which the template of its platform requires.`);
  return value;
}

/** How a template's placeholders are rendered. */
type PartForms = { readonly [Name in FormName]?: PrehashRule[Name] | undefined };

type FormName = 'timestamp' | 'query' | 'body' | 'bodyHash' | 'values';

/** A template with its placeholders replaced. */
interface FilledTemplate {
  readonly text: string;
  /** The texts of the tokens in order, a body before it is hashed. */
  readonly texts: readonly string[];
  /** Parts that were serialized here or come from the configuration. */
  readonly parts: PayloadParts;
}

interface Source {
  readonly data: JsonObject;
  readonly forms: PartForms;
  readonly context: PayloadContext;
}

interface Placeholder {
  /** Renders the part as the caller must send it. */
  readonly render: (source: Source) => Outcome<Rendered, Issue>;
  /** Its form in the text to sign; absent: as rendered. */
  readonly show?: (text: string, source: Source) => string;
  /** Reports a serialized part to the caller under this name. */
  readonly part?: 'timestamp' | 'query' | 'body';
}

const encoder = new TextEncoder();

const queryRenderer = ({ data, forms }: Source) => renderRequestQuery(data, forms.query ?? {});
const methodRenderer = ({ data }: Source) => renderMethod(data);

const PLACEHOLDERS: { readonly [Name in RequestPlaceholder]: Placeholder } = {
  timestamp: { render: ({ data, forms }) => renderTimestamp(data, forms.timestamp), part: 'timestamp' },
  METHOD: { render: methodRenderer, show: (text) => text.toUpperCase() },
  method: { render: methodRenderer, show: (text) => text.toLowerCase() },
  path: { render: ({ data }) => renderPath(data) },
  query: { render: queryRenderer, part: 'query' },
  '?query': { render: queryRenderer, show: (text) => (text === '' ? '' : `?${text}`), part: 'query' },
  body: {
    render: ({ data, forms }) => renderBody(data, forms.body ?? 'json', forms.bodyHash),
    show: hashBody,
    part: 'body',
  },
};

/**
 * Replaces each placeholder once; braces in the parts have no meaning.
 *
 * @param tokens of a valid template
 * @throws Error for a missing fixed value, which a validated configuration rules out
 */
export function fillTemplate(
  tokens: readonly TemplateToken[],
  forms: PartForms,
  data: JsonObject,
  context: PayloadContext,
): Outcome<FilledTemplate, Issue> {
  const source = { data, forms, context };
  const parts: { -readonly [Name in keyof PayloadParts]: PayloadParts[Name] } = {};
  const texts: string[] = [];
  let text = '';
  for (const token of tokens) {
    const { show, part, render } = getPlaceholder(token);
    const rendered = render(source);
    if (!rendered.ok) return rendered;
    if (part !== undefined && rendered.value.isSerialized) parts[part] = rendered.value.text;
    if (token.kind === 'account') parts.values = { ...parts.values, [token.name]: rendered.value.text };
    const shown = show === undefined ? rendered.value.text : show(rendered.value.text, source);
    texts.push(part === 'body' ? rendered.value.text : shown);
    text += shown;
  }
  return accepted({ text, texts, parts });
}

function getPlaceholder(token: TemplateToken): Placeholder {
  switch (token.kind) {
    case 'text':
      return { render: () => verbatim(token.text) };
    case 'request':
      return PLACEHOLDERS[token.name];
    case 'data':
      return { render: ({ data }) => renderValue(data, token.name) };
    case 'account':
      return { render: ({ forms, context }) => verbatim(fixedValue(token.name, context.values, forms.values ?? {})) };
  }
}

function hashBody(text: string, { forms, context }: Source): string {
  const algorithm = forms.bodyHash ?? 'none';
  return algorithm === 'none' ? text : encodeHex(context.hasher.digest(algorithm, encoder.encode(text)));
}
