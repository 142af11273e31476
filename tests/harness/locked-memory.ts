/** Root is exempt from the limit on locked memory by a capability: a command that drops it. */
export const EXEMPT: readonly string[] =
  process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-ipc_lock', '--inh-caps=-ipc_lock'] : [];

/** Launcher with a limit on locked memory, KiB. */
export function underLimit(kibibytes: number): readonly string[] {
  return ['sh', '-c', `ulimit -l ${kibibytes} && exec "$@"`, 'sh', ...EXEMPT];
}
