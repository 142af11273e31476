/*
 * The service as it is, but that its audit record is written nowhere, for the bench alone: the product has no setting for that, and must have none. It is started like dist/main.js, which it is made of, with the same
 * options and settings; entries are made and counted as ever, and acknowledged at once.
 */
import { createContainer } from '../../dist/composition/container.js';
import { handleSignals } from '../../dist/composition/handle-signals.js';
import { startService } from '../../dist/composition/running-service.js';
import { readServiceSettings } from '../../dist/composition/settings.js';
import { TOKENS } from '../../dist/composition/tokens.js';

class UnwrittenSink {
  facts = {};
  head = { seq: 0, hash: null };
  available = true;
  queued = 0;
  #usage;

  constructor(usage) {
    this.#usage = usage;
  }

  async append(entry) {
    this.#usage.count(entry);
  }

  async probe() {
    return null;
  }

  async reopen() {}

  async close() {}
}

async function start() {
  const settings = readServiceSettings(process.env);
  const container = createContainer(settings);
  const sink = new UnwrittenSink(await container.getAsync(TOKENS.UsageLedger));
  container.rebind(TOKENS.AuditSink).toConstantValue(sink);
  return startService(settings, container);
}

const starting = start();
handleSignals(starting);
await starting;
