import type { JsonObject } from '../../../domain/model/json.ts';

/** Address of a running service and how to call it, as options of `status`; files are paths. */
export interface StatusCall {
  /** Default: from the settings. */
  readonly url?: string;
  /** PEM of trusted CA certificates. */
  readonly ca?: string;
  /** PEM of the client certificate chain. */
  readonly cert?: string;
  /** PEM of its private key. */
  readonly key?: string;
  /** Access token, base64. */
  readonly token?: string;
  /** Its private key. */
  readonly tokenKey?: string;
  /** Public key of the service, base58 or hex. */
  readonly serviceKey?: string;
  /** Public keys of trusted authorities, base58 or hex. */
  readonly authority?: readonly string[];
}

/** A check of the readiness, see `GET /readyz`. */
export interface StatusCheck {
  readonly ok: boolean;
  /** State or cause; absent if the service shows it only to operators. */
  readonly detail?: string;
}

/** Why a reading has no status. */
export interface StatusProblem {
  /** `not-ready`: refused until the service is ready. */
  readonly kind: 'unreachable' | 'refused' | 'not-ready';
  /** Cause and what to do. */
  readonly message: string;
}

/** One reading of a running service. */
export interface StatusReading {
  readonly url: string;
  /** ISO 8601 UTC, of this machine. */
  readonly time: string;
  /** Null without a valid response of `GET /readyz` and without a status. */
  readonly ready: boolean | null;
  /** Of `GET /readyz`, by name; null if it has no valid response. */
  readonly checks: { readonly [name: string]: StatusCheck } | null;
  /** Data of `GET /api/v1/status`, with `activity` if the service knows it; null with a problem. */
  readonly status: JsonObject | null;
  readonly problem: StatusProblem | null;
}

/** A running service. */
export interface StatusSource {
  /** Reads the status; rejects only with the reason of an aborted signal. */
  read(signal?: AbortSignal): Promise<StatusReading>;
  /** Closes connections. */
  close(): void;
}
