/** proc_pid_limits(5) with the given limits, `unlimited`, bytes or files; the hard limit on core files is the soft one where none is given. */
export function limitsText({
  core = '0',
  coreHard = core,
  memlock = '8388608',
  files = '20000',
}: {
  readonly core?: string;
  readonly coreHard?: string;
  readonly memlock?: string;
  readonly files?: string;
}): string {
  return [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    `Max core file size        ${core.padEnd(21)}${coreHard.padEnd(21)}bytes     `,
    `Max open files            ${files.padEnd(21)}${files.padEnd(21)}files     `,
    `Max locked memory         ${memlock.padEnd(21)}67108864             bytes     `,
    '',
  ].join('\n');
}
