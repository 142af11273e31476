import { readFileSync } from 'node:fs';
import { projectUrl } from '../project-root.ts';

const DOCKERFILE = projectUrl('Dockerfile');

/** Arguments of a Dockerfile instruction in array form: `CMD ["node", …]`. */
export function dockerfileCommand(start: string): readonly string[] {
  const text = readFileSync(DOCKERFILE, 'utf8').replaceAll('\\\n', ' ');
  const line = text.split('\n').find((one) => one.startsWith(start)) ?? '';
  return JSON.parse(/\[.*\]$/.exec(line)?.[0] ?? '[]');
}

/** The image's node options that this Node supports. */
export const START_OPTIONS: readonly string[] = dockerfileCommand('CMD ')
  .filter((argument) => argument.startsWith('--'))
  .filter((option) => option !== '--disable-sigusr1' || process.allowedNodeEnvironmentFlags.has(option));

/** Those of {@link START_OPTIONS} for hardening, not speed. */
export const HARDENING_OPTIONS: readonly string[] = START_OPTIONS.filter(
  (option) => !/^--(?:v8-|max-semi|no-allocation)/.test(option),
);

/** A Workplace launcher with options of node. */
export function withNodeOptions(...options: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', `node=$1; shift; exec "$node" ${options.join(' ')} "$@"`, 'sh'];
}
