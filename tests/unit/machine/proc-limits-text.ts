/** proc_pid_limits(5) with the given soft limits, `unlimited` or bytes. */
export function limitsText({
  core = '0',
  memlock = '8388608',
}: {
  readonly core?: string;
  readonly memlock?: string;
}): string {
  return [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    `Max core file size        ${core.padEnd(21)}unlimited            bytes     `,
    `Max locked memory         ${memlock.padEnd(21)}67108864             bytes     `,
    '',
  ].join('\n');
}
