import { handleSignals } from './composition/handle-signals.ts';
import { loadOrExplain } from './load-or-explain.ts';

const starting = loadOrExplain(() => import('./composition/serve.ts')).then(({ serve }) => serve(process.env));
handleSignals(starting);
await starting;
