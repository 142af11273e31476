import { expect } from 'chai';

/** What a promise is rejected with; fails when it is fulfilled. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('should have been rejected'),
    (error: unknown) => error,
  );
}
