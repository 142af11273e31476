/*
 * Started by the benchmark: the built service with an audit sink that keeps nothing, to measure
 * what durable records cost.
 */
import { createContainer } from '../../dist/app/compose.js';
import { TOKENS } from '../../dist/app/container-tokens.js';
import { startService } from '../../dist/app/lifecycle.js';
import { readServiceSettings } from '../../dist/app/settings/settings.js';

const NOTHING_KEPT = {
  available: true,
  head: { seq: 0, hash: null },
  checkpoint: null,
  queued: 0,
  facts: {},
  append: async () => undefined,
  probe: async () => null,
  reopen: async () => undefined,
  close: async () => undefined,
};

const container = createContainer(readServiceSettings(process.env));
container.rebind(TOKENS.AuditSink).toConstantValue(NOTHING_KEPT);
await startService(container);
