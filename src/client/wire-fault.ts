/**
 * How far a request came: `waiting` for a connection, `connecting`, or `sent`, from which on the service may have it.
 */
export type Progress = 'waiting' | 'connecting' | 'sent';

/** What ended an exchange before its answer was there. */
export type WireFaultKind = 'broken' | 'connect-timeout' | 'too-long' | 'stopped';

/** An exchange that has no answer. */
export class WireFault extends Error {
  readonly kind: WireFaultKind;
  readonly progress: Progress;
  readonly reusedConnection: boolean;
  /** HTTP status where at least that came. */
  readonly status: number | null;

  constructor(
    kind: WireFaultKind,
    { progress, reusedConnection, status }: Pick<WireFault, 'progress' | 'reusedConnection' | 'status'>,
    cause?: unknown,
  ) {
    super(kind, { cause });
    this.kind = kind;
    this.progress = progress;
    this.reusedConnection = reusedConnection;
    this.status = status;
  }
}
