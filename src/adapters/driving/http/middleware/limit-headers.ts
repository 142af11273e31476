import type { RequestHandler } from 'express';
import { headersTooLarge } from '../http-refusal.ts';
import { refuseAndClose } from './refuse-and-close.ts';

/** Headers that a request may have. In memory, each takes some hundred bytes more than was sent. */
export const MAX_HEADERS = 128;

/**
 * Refuses a request with as many headers as the server reads, and closes its connection. Releases
 * of Node before 22.23.2 and 24.18.1 hide those beyond `maxHeadersCount` from the application, and
 * their parser obeys them (CVE-2026-58044): Host, Origin or Transfer-Encoding may be among them.
 */
export const limitHeaders: RequestHandler = refuseAndClose(
  ({ rawHeaders }) => rawHeaders.length < 2 * MAX_HEADERS,
  headersTooLarge(),
);
