import type { TracedRequest, Traces } from '../../src/ports/traces.ts';

/** Traces that record their requests. */
export class RecordingTraces implements Traces {
  readonly requests: TracedRequest[] = [];
  isClosed = false;

  requestEnded(request: TracedRequest): void {
    this.requests.push(request);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
