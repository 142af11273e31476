import type { Request } from 'express';
import type { MetricsFormat } from '../../../ports/metrics.ts';

/** Content types of pages of metrics. */
const CONTENT_TYPES: { readonly [Format in MetricsFormat]: string } = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** In which form a request asks for metrics (RFC 9110 §12.5.1). Who takes neither gets the text format all the same: monitoring that asks in a wrong way should not be blind. */
export function metricsFormatOf(request: Request): { readonly contentType: string; readonly format: MetricsFormat } {
  const { text, openmetrics } = CONTENT_TYPES;
  const format = request.accepts([text, openmetrics]) === openmetrics ? 'openmetrics' : 'text';
  return { contentType: CONTENT_TYPES[format], format };
}
