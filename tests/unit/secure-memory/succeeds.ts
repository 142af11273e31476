/** Whether `action` returns instead of throwing. */
export function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
