import { expect } from 'chai';
import type { Reply } from './callers.ts';

/** An item of a batch response. */
interface Result {
  readonly status: 'success' | 'failed';
  readonly error?: { readonly code: string; readonly details: object };
}

const REASON = { reason: 'AUDIT_UNAVAILABLE' };

/** Asserts at least one failure, all of them as documented and without a signature. */
export function expectDocumented(failures: readonly Reply[]): void {
  expect(failures).to.not.have.lengthOf(0);
  for (const { status, text } of failures) {
    const { success, error, data } = JSON.parse(text);
    if (success) {
      expect(status).to.equal(200);
      for (const result of data.results) expectDocumentedItem(result);
      continue;
    }
    expect({ status, code: error.code, details: error.details }, text).to.deep.equal({
      status: 500,
      code: 'SIGNATURE_FAILED',
      details: REASON,
    });
    expect(text).to.not.include('"signature"');
  }
}

function expectDocumentedItem({ status, error, ...rest }: Result): void {
  if (status === 'success' || error?.code === 'ACCOUNT_NOT_FOUND') return;
  expect({ status, code: error?.code, details: error?.details }).to.deep.equal({
    status: 'failed',
    code: 'SIGNATURE_FAILED',
    details: REASON,
  });
  expect(JSON.stringify(rest)).to.not.include('"signature"');
}
