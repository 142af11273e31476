import { expect } from 'chai';
import type { Issue } from '../../src/domain/model/errors.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { sharedChecker } from '../documented-responses/response-checker.ts';

/** A response of supertest or the raw client, with parsed JSON. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: unknown;
}

/** `error` of the error envelope. */
export interface ReceivedError {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
}

/** Checks the success envelope; returns its `data` unchecked. */
export function expectData<Data = JsonObject>({ status, headers, body }: ReceivedResponse): Data {
  expect(status, JSON.stringify(body)).to.equal(200);
  expectJsonHeaders(headers);
  expect(body).to.have.all.keys('success', 'data');
  const { success, data } = body as { success: unknown; data: Data };
  expect(success).to.equal(true);
  return data;
}

/** Checks the error envelope against status, code and documentation; returns its `error`. */
export function expectError({ status, headers, body }: ReceivedResponse, wanted: number, code: string): ReceivedError {
  expect(body, `status ${status}`).to.have.all.keys('success', 'error');
  const { success, error } = body as { success: unknown; error: ReceivedError };
  expect({ status, code: error.code }, JSON.stringify(body)).to.deep.equal({ status: wanted, code });
  expectJsonHeaders(headers);
  expect(success).to.equal(false);
  expect(error).to.have.all.keys('code', 'message', 'details');
  expect(error.message).to.be.a('string').and.not.equal('');
  expect(error.details).to.be.an('object');
  expect(sharedChecker().findErrorIssues(status, body)).to.deep.equal([]);
  return error;
}

/** Checks a 400 INVALID_DATA_FORMAT; returns the paths of its issues. */
export function expectIssues(response: ReceivedResponse): readonly string[] {
  const { details } = expectError(response, 400, 'INVALID_DATA_FORMAT');
  expect(details).to.have.all.keys('issues');
  expect(details['issues']).to.be.an('array').with.lengthOf.within(1, 20);
  const issues = details['issues'] as unknown as readonly Issue[];
  for (const issue of issues) {
    expect(issue).to.have.all.keys('path', 'message');
    expect(issue.path).to.be.a('string');
    expect(issue.message).to.be.a('string').and.not.equal('');
  }
  return issues.map(({ path }) => path);
}

function expectJsonHeaders(headers: ReceivedResponse['headers']): void {
  expect(headers['content-type']).to.equal('application/json; charset=utf-8');
  expect(headers['cache-control']).to.equal('no-store');
}
