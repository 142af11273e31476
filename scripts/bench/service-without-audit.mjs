/*
 * Started by the benchmark: the built service with an AuditSink (src/ports/audit-sink.ts) that
 * discards every entry, to measure what durable audit records cost. Signatures leave no trace, so
 * it accepts only folders of the benchmark.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryUsageLedger } from '../../dist/adapters/usage/memory-usage-ledger.js';
import { AdapterSet } from '../../dist/app/adapters.js';
import { startService } from '../../dist/app/lifecycle.js';
import { readServiceSettings } from '../../dist/app/settings/settings.js';

/** As `Workplace` of tests/harness/service-process.ts names them. */
const FOLDERS = join(tmpdir(), 'signing-service-test-');

function discardingSink(usage) {
  return {
    available: true,
    head: { seq: 0, hash: null },
    checkpoint: null,
    queued: 0,
    facts: {},
    append: async (...entries) => {
      for (const entry of entries) usage.count(entry);
    },
    probe: async () => null,
    reopen: async () => undefined,
    close: async () => undefined,
  };
}

const settings = readServiceSettings(process.env);
if (settings.credentialsFile.startsWith(FOLDERS)) {
  const usage = new MemoryUsageLedger();
  await startService(settings, new AdapterSet(settings, { usage, sink: discardingSink(usage) }));
} else {
  process.stderr.write('This program is for the benchmark only: it signs without audit records.\n');
  process.exitCode = 2;
}
