import { readFileSync } from 'node:fs';

const DOCKERFILE = new URL('../../Dockerfile', import.meta.url);

/** The arguments of an instruction of the Dockerfile that stand in its array form, such as `CMD ["node", …]`. */
export function dockerfileCommand(start: string): readonly string[] {
  const text = readFileSync(DOCKERFILE, 'utf8').replaceAll('\\\n', ' ');
  const line = text.split('\n').find((one) => one.startsWith(start)) ?? '';
  return JSON.parse(/\[.*\]$/.exec(line)?.[0] ?? '[]');
}

/** The options of node with which the image starts the service, but for those that this Node is too old for. */
export const START_OPTIONS: readonly string[] = dockerfileCommand('CMD ')
  .filter((argument) => argument.startsWith('--'))
  .filter((option) => option !== '--disable-sigusr1' || process.allowedNodeEnvironmentFlags.has(option));

/** Those of {@link START_OPTIONS} that harden the process; the others are about speed. */
export const HARDENING_OPTIONS: readonly string[] = START_OPTIONS.filter(
  (option) => !/^--(?:v8-|min-semi|max-semi)/.test(option),
);

/** A launcher of a Workplace that starts its programs with options of node. */
export function withNodeOptions(...options: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', `node=$1; shift; exec "$node" ${options.join(' ')} "$@"`, 'sh'];
}
