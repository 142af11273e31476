import { loadOrExplain } from './load-or-explain.ts';

const { serve } = await loadOrExplain(() => import('./composition/serve.ts'));
await serve(process.env);
