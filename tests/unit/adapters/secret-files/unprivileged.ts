const NOBODY = 65_534;

/** Runs `action` without root's exemption from file permissions. */
export function unprivileged<Result>(action: () => Result): Result {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(NOBODY);
  try {
    return action();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
