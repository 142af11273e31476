import { isMainThread } from 'node:worker_threads';

/*
 * `--import tsx` lets Node load TypeScript, but on Node 20 not in threads. This does it there; it is JavaScript, since nothing else can be loaded before it.
 */
if (!isMainThread) {
  const { register } = await import('tsx/esm/api');
  register();
}
