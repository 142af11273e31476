import { type JsonObject, ownMember } from '../model/json.ts';
import type { FixedValues, PayloadParts } from '../model/payload.ts';
import { encodeHex } from '../model/text/byte-encodings.ts';
import type { PayloadContext } from './payload-outcome.ts';
import { renderBody, renderMethod, renderPath, renderRequestQuery, renderValue } from './request-parts.ts';
import { renderTimestamp } from './request-timestamp.ts';
import type { BodyForm, BodyHash, QueryStyle, TimestampForm } from './rule-options.ts';
import type { RequestPlaceholder, TemplateToken } from './template.ts';

/**
 * Renders `{account.NAME}`: the account's value, else the rule's.
 * @throws Error without either, which a validated configuration rules out (see `requiredValues`)
 */
export function fixedValue(name: string, accountValues: FixedValues, ruleValues: FixedValues = {}): string {
  const value = Object.hasOwn(accountValues, name) ? accountValues[name] : ownMember(ruleValues, name);
  if (typeof value !== 'string')
    throw new Error(`The account has no value named ${name}, which the template of its platform requires.`);
  return value;
}

/** How a template's placeholders are rendered. */
interface PartForms {
  readonly timestamp?: TimestampForm | undefined;
  readonly query?: QueryStyle;
  readonly body?: BodyForm;
  readonly bodyHash?: BodyHash;
  readonly values?: FixedValues;
}

/** {@link PayloadParts}, filled by {@link fillTemplate}. */
export type FilledParts = { -readonly [Name in keyof PayloadParts]: PayloadParts[Name] };

interface Source {
  readonly data: JsonObject;
  readonly forms: PartForms;
  readonly context: PayloadContext;
}

interface Placeholder {
  readonly part: 'timestamp' | 'method' | 'path' | 'query' | 'body';
  /** Renders the part as the caller must send it. */
  readonly render: (source: Source) => string;
  /** Its form in the text to sign; absent: as rendered. */
  readonly show?: (text: string, source: Source) => string;
}

const encoder = new TextEncoder();

const queryRenderer = ({ data, forms }: Source) => renderRequestQuery(data, forms.query ?? {});

const PLACEHOLDERS: { readonly [Name in RequestPlaceholder]: Placeholder } = {
  timestamp: { part: 'timestamp', render: ({ data, forms }) => renderTimestamp(data, forms.timestamp) },
  METHOD: { part: 'method', render: ({ data }) => renderMethod(data, (method) => method.toUpperCase()) },
  method: { part: 'method', render: ({ data }) => renderMethod(data, (method) => method.toLowerCase()) },
  path: { part: 'path', render: ({ data }) => renderPath(data) },
  query: { part: 'query', render: queryRenderer },
  '?query': { part: 'query', render: queryRenderer, show: (text) => (text === '' ? '' : `?${text}`) },
  body: {
    part: 'body',
    render: ({ data, forms }) => renderBody(data, forms.body ?? 'json', forms.bodyHash),
    show: hashBody,
  },
};

/**
 * Replaces each placeholder once; braces in the parts have no meaning.
 *
 * @param tokens of a valid template
 * @param parts to which the texts of the placeholders are added
 * @throws Error for a missing fixed value, which a validated configuration rules out
 */
export function fillTemplate(
  tokens: readonly TemplateToken[],
  forms: PartForms,
  data: JsonObject,
  context: PayloadContext,
  parts: FilledParts,
): string {
  const source = { data, forms, context };
  return tokens.map((token) => fillToken(token, source, parts)).join('');
}

function fillToken(token: TemplateToken, source: Source, parts: FilledParts): string {
  if (token.kind === 'text') return token.text;
  if (token.kind === 'account') {
    const value = fixedValue(token.name, source.context.values, source.forms.values);
    parts.values = { ...parts.values, [token.name]: value };
    return value;
  }
  if (token.kind === 'data') {
    const value = renderValue(source.data, token.name);
    parts.data = { ...parts.data, [token.name]: value };
    return value;
  }
  const { part, render, show } = PLACEHOLDERS[token.name];
  const rendered = render(source);
  parts[part] = rendered;
  return show === undefined ? rendered : show(rendered, source);
}

function hashBody(text: string, { forms, context }: Source): string {
  const algorithm = forms.bodyHash ?? 'none';
  return algorithm === 'none' ? text : encodeHex(context.hasher.digest(algorithm, encoder.encode(text)));
}
