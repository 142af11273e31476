import { EXIT_CODES, loadOrExplain } from './app/exit-codes.ts';
import type { RunningService } from './app/lifecycle.ts';
import { blockDebugger, handleSignals } from './app/signals.ts';

blockDebugger();
// Nothing to shut down yet.
if (process.argv.length > 2) {
  process.stderr.write(
    'main.js takes no arguments. Configure it with environment variables; see `node dist/cli.js --help`.\n',
  );
  process.exit(EXIT_CODES.refused);
}
const starting = start();
handleSignals(starting);
await starting;

async function start(): Promise<RunningService | undefined> {
  const { rejectDebugging } = await loadOrExplain(() => import('./app/production.ts'));
  if (rejectDebugging(process.env)) return undefined;
  const { serve } = await loadOrExplain(() => import('./app/serve.ts'));
  return serve(process.env);
}
