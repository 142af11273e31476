import { EXIT_CODES } from './exit-codes.ts';

/**
 * Lets a program go on when nobody reads what it writes any more (`| head`): its work is done all the same, and an unheard `error` event would end it half way.
 * Where standard output can't be written to for another reason, such as a full disk, that is told, and the exit code is that of a refusal; the work is done then, too.
 */
export function guardOutputs(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(
      `error: standard output can not be written to (${error.code}). What the command changes is changed all the same: look before you run it again.\n`,
    );
    process.exitCode = EXIT_CODES.refused;
  });
  process.stderr.on('error', () => undefined);
}
