import { type ServiceLogLevel, ThrottledLog } from '../../src/adapters/observability/throttled-log.ts';
import type { Facts } from '../../src/ports/service-log.ts';

/** One line of the log. */
export interface RecordedLogEvent {
  readonly level: ServiceLogLevel;
  readonly message: string;
  readonly facts: Facts;
}

/** A ServiceLog that records its lines. `flush` ends the minute of throttled ones. */
export class RecordingServiceLog extends ThrottledLog {
  readonly events: RecordedLogEvent[] = [];

  protected override write(level: ServiceLogLevel, message: string, facts: Facts = {}): void {
    this.events.push({ level, message, facts });
  }
}
