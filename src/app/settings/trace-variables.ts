/*
 * The variables of OpenTelemetry that decide whether traces are sent ("Environment Variable
 * Specification" and "OpenTelemetry Protocol Exporter"). The SDK reads the others.
 */

/** Environment variables, as `process.env` has them. */
type Variables = { readonly [name: string]: string | undefined };

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** Endpoint of traces; null if none are sent. Empty variables count as unset. */
export function findTraceEndpoint(variables: Variables): string | null {
  const isDisabled = variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  if (isDisabled || variables['OTEL_TRACES_EXPORTER'] === 'none') return null;
  return ENDPOINTS.map((name) => variables[name]).find((endpoint) => endpoint) ?? null;
}

/** Issues of the endpoints; the SDK would ignore malformed ones. */
export function findTraceIssues(variables: Variables): readonly string[] {
  if (findTraceEndpoint(variables) === null) return [];
  return ENDPOINTS.filter((name) => variables[name] && !isHttpUrl(variables[name])).map(
    (name) => `${name} must be an http:// or https:// URL.`,
  );
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
