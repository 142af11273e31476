/** Returns the reason of a rejected promise; throws if it resolves. */
export async function caught(promise: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol('nothing');
  const outcome = await promise.then(
    () => nothing,
    (error: unknown) => error,
  );
  if (outcome === nothing) throw new Error('It was expected to reject, and did not.');
  return outcome;
}

/** The same for one error class. */
export async function caughtAs<Kind>(
  kind: abstract new (...given: never[]) => Kind,
  promise: Promise<unknown>,
): Promise<Kind> {
  const error = await caught(promise);
  if (error instanceof kind) return error;
  throw new Error(`Another error was expected than ${String(error)}`, { cause: error });
}
