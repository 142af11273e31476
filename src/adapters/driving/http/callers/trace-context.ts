/** Length of the fields that every version has: `00-<32 hex>-<16 hex>-<2 hex>`. */
const LENGTH = 55;
const FIELDS = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const FORBIDDEN_VERSION = 'ff';
const NO_TRACE = '0'.repeat(32);
const NO_PARENT = '0'.repeat(16);

/**
 * The caller's place in a trace, out of its `traceparent` header: the fields of version 00, whatever a later version has behind them (W3C Trace Context §3.2, §4.3). Null for a header that is
 * not there, given twice, or malformed, which the standard has ignored.
 */
export function traceparentOf(header: string | readonly string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length < LENGTH) return null;
  const fields = header.slice(0, LENGTH);
  const version = fields.slice(0, 2);
  if (!FIELDS.test(fields) || version === FORBIDDEN_VERSION) return null;
  if (fields.slice(3, 35) === NO_TRACE || fields.slice(36, 52) === NO_PARENT) return null;
  if (header.length === LENGTH) return fields;
  return version !== '00' && header[LENGTH] === '-' ? fields : null;
}
