/** Maximum size of a request body (specification, Limits: 1 MB). */
export const MAX_BODY_BYTES = 1_048_576;

/** Maximum number of headers: each takes some hundred bytes more in memory than on the wire. */
export const MAX_HEADERS = 127;

/** Bytes of a small body, by memory and time; a single request has some 300. */
export const SMALL_BODY_BYTES = 16_384;

/** Maximum time to read a complete response, or a chunk of a streamed one, milliseconds. */
export const READ_TIMEOUT_MS = 30_000;

/** Longest waits for permits, milliseconds. */
export const MAX_WAIT_MS = { single: 1000, batch: 5000 };

/** Timeouts of connections, milliseconds. */
export const TIMES = {
  /** From the first byte, or the opening, to the end of the headers. */
  headersTimeout: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeout: 30_000,
  /**
   * Longer than the usual 60 seconds of clients and proxies, so that they close idle connections.
   */
  keepAliveTimeout: 65_000,
  /** Interval of the check of the first two. */
  connectionsCheckingInterval: 1000,
};
