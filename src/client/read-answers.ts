import type { Account, AccountList, AccountName, AccountPage } from './account-types.ts';
import { AnswerFault } from './answer-fault.ts';
import {
  expectBooleans,
  expectEqual,
  expectNumbers,
  expectTexts,
  expectTextsOrNull,
  objectIn,
  objectsIn,
} from './answer-fields.ts';
import type { JsonObject } from './json.ts';
import type { BatchItemResult, BatchRequest, BatchResult, Signature, Verification } from './signing-types.ts';
import type { ReloadResult, StatusReport } from './status-types.ts';

/*
 * The data of each answer as its type, once its members were looked at.
 */

/** Of `POST /sign`. */
export function readSignature(data: JsonObject, withPayload: boolean): Omit<Signature, 'verified'> {
  expectTexts(data, 'signature', 'algorithm', 'encoding', 'publicKey', 'signedAt', ...(withPayload ? ['payload'] : []));
  return data as unknown as Signature;
}

/** Of `POST /sign/batch`: a result for each request, in their order. */
export function readBatch(data: JsonObject, requests: readonly BatchRequest[], withPayload: boolean): BatchResult {
  const results = objectsIn(data, 'results');
  if (results.length !== requests.length) throw new AnswerFault('The answer has not one result for each request.');
  for (const [index, result] of results.entries()) {
    expectEqual(result, 'requestId', requests[index]?.requestId ?? '');
    checkItem(result, withPayload);
  }
  const summary = objectIn(data, 'summary');
  const failed = results.filter(({ status }) => status === 'failed').length;
  expectEqual(summary, 'total', results.length);
  expectEqual(summary, 'failed', failed);
  expectEqual(summary, 'successful', results.length - failed);
  return {
    results: results as unknown as readonly BatchItemResult[],
    summary: summary as unknown as BatchResult['summary'],
  };
}

function checkItem(result: JsonObject, withPayload: boolean): void {
  if (result['status'] === 'success') {
    expectTexts(result, 'signature', 'algorithm', ...(withPayload ? ['payload'] : []));
    return;
  }
  expectEqual(result, 'status', 'failed');
  const error = objectIn(result, 'error');
  expectTexts(error, 'code', 'message');
  objectIn(error, 'details');
}

/** Of `POST /verify`. */
export function readVerification(data: JsonObject): Verification {
  expectBooleans(data, 'valid');
  return data as unknown as Verification;
}

/** Of `GET /accounts`. */
export function readAccountList(data: JsonObject): AccountList {
  for (const account of objectsIn(data, 'accounts')) {
    expectTexts(account, 'accountId', 'platformId', 'alias', 'status', 'environment');
    const usage = objectIn(account, 'usage');
    expectNumbers(usage, 'totalSigns', 'errorCount');
    expectTextsOrNull(usage, 'lastSignAt');
  }
  expectNumbers(data, 'total');
  return data as unknown as AccountList;
}

/** Of `GET /accounts?limit=N`. */
export function readAccountPage(data: JsonObject): AccountPage {
  expectTextsOrNull(data, 'nextCursor');
  return { ...readAccountList(data), nextCursor: data['nextCursor'] as string | null };
}

/** Of `GET /accounts/{platformId}/{accountId}`: the account that was asked for. */
export function readAccount(data: JsonObject, { platformId, accountId }: AccountName): Account {
  expectEqual(data, 'platformId', platformId);
  expectEqual(data, 'accountId', accountId);
  expectTexts(data, 'alias', 'status', 'environment', 'algorithm', 'publicKey', 'createdAt');
  expectTextsOrNull(data, 'lastUsed');
  return data as unknown as Account;
}

/** Of `POST /config/reload`. */
export function readReload(data: JsonObject): ReloadResult {
  expectTexts(data, 'reloadedAt');
  expectNumbers(objectIn(data, 'changes'), 'added', 'updated', 'removed');
  expectNumbers(data, 'accountCount', 'platformCount');
  return data as unknown as ReloadResult;
}

/** Of `GET /status`. */
export function readStatus(data: JsonObject): StatusReport {
  expectTexts(data, 'status', 'uptime');
  const config = objectIn(data, 'config');
  expectTexts(config, 'path');
  expectTextsOrNull(config, 'lastLoaded');
  expectBooleans(config, 'isWatching');
  const accounts = objectIn(data, 'accounts');
  expectNumbers(accounts, 'total');
  objectIn(accounts, 'byPlatform');
  const performance = objectIn(data, 'performance');
  expectTexts(performance, 'avgSigningTime');
  expectNumbers(performance, 'totalSigns', 'errorRate');
  return data as unknown as StatusReport;
}
