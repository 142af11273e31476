import { isMainThread } from 'node:worker_threads';

/*
 * `--import tsx` loads TypeScript, but on Node 20 not in worker threads: this does. JavaScript,
 * because nothing can be loaded before it.
 */
if (!isMainThread) {
  const { register } = await import('tsx/esm/api');
  register();
}
