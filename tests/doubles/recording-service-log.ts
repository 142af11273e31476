import type { ServiceLog } from '../../src/ports/service-log.ts';

/** One call of the log. */
export interface RecordedLogEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly facts: { readonly [name: string]: unknown };
}

/** A ServiceLog that records its calls. */
export class RecordingServiceLog implements ServiceLog {
  readonly events: RecordedLogEvent[] = [];

  info(message: string, facts: RecordedLogEvent['facts'] = {}): void {
    this.events.push({ level: 'info', message, facts });
  }

  warn(message: string, facts: RecordedLogEvent['facts'] = {}): void {
    this.events.push({ level: 'warn', message, facts });
  }

  error(message: string, facts: RecordedLogEvent['facts'] = {}): void {
    this.events.push({ level: 'error', message, facts });
  }
}
