import { type ClientRequest, OutgoingMessage, type ServerResponse } from 'node:http';
import type { Response } from 'express';

/** Response headers that carry the correlationId of the audit records and log lines: by the name under which callers may send their own, and by its own. */
const ID_HEADERS = ['X-Request-Id', 'X-Correlation-Id'] as const;

/** Headers that are the same in many answers, in their order. */
export interface StandingHeaders {
  readonly list: readonly (readonly [name: string, value: string])[];
  /** The same as they are sent, each with the end of its line. */
  readonly text: string;
}

/** What the head of an answer begins with; kept with the response until it is known how the answer is written. */
export interface HeldHead {
  readonly id: string;
  standing: StandingHeaders;
}

/** Has headers set once, and keeps them, instead of setting them anew for each answer. Node looks at their names and values as at those of any answer. */
export function standingHeaders(set: (message: OutgoingMessage) => void): StandingHeaders {
  const message = new OutgoingMessage();
  set(message);
  const list = headerNamesOf(message).map((name) => [name, String(message.getHeader(name))] as const);
  return { list, text: list.map(([name, value]) => `${name}: ${value}\r\n`).join('') };
}

/**
 * Has the answer begin with its id and these headers, whoever writes it.
 * @param id safe in a header
 */
export function holdHead(response: Response, id: string, standing: StandingHeaders): void {
  const head: HeldHead = { id, standing };
  response.locals['head'] = head;
}

/** Has it begin with its id and these instead. */
export function changeHead(response: Response, standing: StandingHeaders): void {
  const head = heldHeadOf(response);
  if (head !== null) head.standing = standing;
}

/** Null where none is held, or was set by then. */
export function heldHeadOf(response: ServerResponse): HeldHead | null {
  return ((response as Response).locals?.['head'] as HeldHead | undefined) ?? null;
}

/** Sets what is held as any other header is set, before those that were set meanwhile. */
export function setHeldHead(response: ServerResponse): void {
  const head = heldHeadOf(response);
  if (head === null || response.headersSent) return;
  (response as Response).locals['head'] = undefined;
  const later = headerNamesOf(response).map((name) => [name, response.getHeader(name) ?? ''] as const);
  for (const [name] of later) response.removeHeader(name);
  for (const name of ID_HEADERS) response.setHeader(name, head.id);
  for (const [name, value] of [...head.standing.list, ...later]) response.setHeader(name, value);
}

/** As they were written; the types know that method of requests alone. */
function headerNamesOf(message: OutgoingMessage): readonly string[] {
  return (message as OutgoingMessage & Pick<ClientRequest, 'getRawHeaderNames'>).getRawHeaderNames();
}

/** The lines of what is held, as they are sent. */
export function headText({ id, standing }: HeldHead): string {
  return `${ID_HEADERS[0]}: ${id}\r\n${ID_HEADERS[1]}: ${id}\r\n${standing.text}`;
}
