import type { JsonObject } from '../../../domain/model/json.ts';
import type { StatusReport } from '../../status-view/status-view.ts';
import { repeatable, text, type Values } from '../inputs.ts';

/** Address of a running service and how to call it. */
export const STATUS_CALL = {
  url: text('--url <url>', 'address of the service (default: from the settings)'),
  ca: text('--ca <file>', 'CA certificate of the service, PEM (default: with --url those of Node)'),
  cert: text('--cert <file>', 'client certificate, PEM'),
  key: text('--key <file>', 'its private key, PEM'),
  token: text('--token <file>', 'access token of the caller'),
  tokenKey: text('--token-key <file>', 'its private key'),
  serviceKey: text('--service-key <key>', 'public key of the service, base58 or hex; with --token'),
  authority: repeatable('--authority <key>', 'public key of a trusted authority, with --token'),
};

/** See {@link STATUS_CALL}. */
export type StatusCall = Partial<Values<typeof STATUS_CALL>>;

/** Why a reading has no status. */
export interface StatusProblem {
  /** `not-ready`: refused until the service is ready. */
  readonly kind: 'unreachable' | 'refused' | 'not-ready';
  /** Cause and what to do. */
  readonly message: string;
}

/** One reading of a running service. */
export interface StatusReading extends StatusReport {
  readonly url: string;
  /** ISO 8601 UTC, of this machine. */
  readonly time: string;
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
