import { request } from 'node:http';

/* The process behind LoopWatch: told a port, it asks for health there again and again, and tells how long each answer takes. */

const EVERY_MS = 20;
const TIMEOUT_MS = 20_000;

process.on('message', (port: number) => ask(port));
process.on('disconnect', () => process.exit());

function ask(port: number): void {
  const begin = performance.now();
  const tell = () => {
    process.send?.(performance.now() - begin);
    setTimeout(() => ask(port), EVERY_MS);
  };
  const sent = request({ host: '127.0.0.1', port, path: '/healthz', agent: false, timeout: TIMEOUT_MS }, (response) => {
    response.resume().once('end', tell);
  });
  sent.once('timeout', () => sent.destroy(new Error('no answer')));
  sent.once('error', tell);
  sent.end();
}
