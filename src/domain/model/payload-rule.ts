/** Names of the payload rules: how the bytes to sign are made from `data`. */
export const PAYLOAD_RULES = ['jcs', 'query', 'prehash', 'raw'] as const;

/** See {@link PAYLOAD_RULES}. */
export type PayloadRuleName = (typeof PAYLOAD_RULES)[number];

/** RFC 8785 canonical JSON over all of `data`, or over one field of it. A text in that field is signed verbatim. */
export interface JcsRule {
  readonly rule: 'jcs';
  /** Top-level field of `data` to sign; absent: the whole object. */
  readonly field?: string;
}

/** `k=v&k=v` over the members of one object field, in the order in which they were sent, percent-encoded (RFC 3986). */
export interface QueryRule {
  readonly rule: 'query';
  /** Top-level field of `data` that holds the parameters. */
  readonly field: string;
}

/** A template over the request's own parts, as OKX and its relatives sign. */
export interface PrehashRule {
  readonly rule: 'prehash';
  /** Text with the placeholders `{timestamp}`, `{METHOD}`, `{path}` and `{body}`. */
  readonly template: string;
}

/** Exactly the given bytes: `data` is `{"text": …}`, `{"hex": …}` or `{"base64": …}`. */
export interface RawRule {
  readonly rule: 'raw';
}

/** A platform's payload rule with its options. */
export type PayloadRule = JcsRule | QueryRule | PrehashRule | RawRule;
