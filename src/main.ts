import { EXIT_CODES } from './composition/exit-codes.ts';
import { handleSignals, keepDebuggerClosed } from './composition/handle-signals.ts';
import type { RunningService } from './composition/lifecycle.ts';
import { loadOrExplain } from './load-or-explain.ts';

keepDebuggerClosed();
// Nothing is begun yet that would have to end in order.
if (process.argv.length > 2) {
  process.stderr.write(
    'main.js takes no arguments: its settings are environment variables; `node dist/cli.js --help` shows help.\n',
  );
  process.exit(EXIT_CODES.refused);
}
const starting = start();
handleSignals(starting);
await starting;

async function start(): Promise<RunningService | undefined> {
  const { refuseDebugging } = await loadOrExplain(() => import('./composition/production.ts'));
  if (refuseDebugging(process.env)) return undefined;
  const { serve } = await loadOrExplain(() => import('./composition/serve.ts'));
  return serve(process.env);
}
