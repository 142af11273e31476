import type { Certificate } from './client-certificates.ts';

/** Where the bytes of a case go: the plain port, the port of HTTPS inside TLS, or that port below TLS. */
export type Way = 'http' | 'https' | 'below TLS';

/** What the caller does when all is written. */
export type Ending =
  /** Waits for the answers that have to come, and goes away. */
  | 'answers'
  /** Says that it has no more to send (FIN), and waits until the service closes too. */
  | 'half-close'
  /** Cuts the connection at once (RST). */
  | 'reset'
  /** Waits until the service closes. */
  | 'wait for close';

/** Bytes for one connection, how they are sent, and what may come back. */
export interface FuzzCase {
  /** What totals are counted by, such as `request: sign` or `raw: two lengths`. */
  readonly kind: string;
  readonly way: Way;
  /** For the listener of operators, where the service has one of its own. */
  readonly isAdmin: boolean;
  /** What the caller shows over HTTPS. */
  readonly certificate: Certificate;
  /** Who calls may do nothing: no answer signs, shows or changes anything. */
  readonly isDenied: boolean;
  readonly writes: readonly Buffer[];
  /** Between two writes, milliseconds. */
  readonly pauseMs: number;
  readonly ending: Ending;
  /** Reads nothing for so long after the last write, milliseconds. */
  readonly deafMs: number;
  /** Answers that have to come. */
  readonly least: number;
  /** Answers that may come: one more belongs to a request that nobody sent. */
  readonly most: number;
  /** By their order; answers to HEAD have no body. */
  readonly methods: readonly string[];
  /** The service has to refuse the bytes: no answer, or one of 4xx. */
  readonly isRefused: boolean;
  /** OVERLOADED is an answer to this. */
  readonly mayOverload: boolean;
  /** The service may close in the middle of an answer: what came after was no HTTP, or the caller did not read. */
  readonly mayBeTorn: boolean;
  /** What the answer of each place has to hold, where that is known. */
  readonly texts: readonly (string | null)[];
  /** How long it may take from the last write until all is over, milliseconds. */
  readonly limitMs: number;
}

const LIMIT_MS = 15_000;

/** A case with one write and one answer at the most, but for what is given. */
export function fuzzCase(given: Pick<FuzzCase, 'kind' | 'writes'> & Partial<FuzzCase>): FuzzCase {
  return {
    way: 'http',
    isAdmin: false,
    certificate: 'own',
    isDenied: false,
    pauseMs: 0,
    ending: 'half-close',
    deafMs: 0,
    least: 0,
    most: 1,
    methods: [],
    isRefused: false,
    mayOverload: false,
    mayBeTorn: false,
    texts: [],
    limitMs: LIMIT_MS,
    ...given,
  };
}
