import type { Readiness, ReloadResult, StatusReport } from './operator-types.ts';
import {
  type Account,
  type AccountList,
  type AccountName,
  type AccountPage,
  type BatchItemResult,
  type BatchRequest,
  type BatchResult,
  isJsonObject,
  type JsonObject,
  type Signature,
  type Verification,
} from './types.ts';

/** The data of a response does not match the API. */
export class InvalidResponseError extends Error {}

/*
 * Validation of members; throws an InvalidResponseError that names the member. Unknown members are
 * ignored, because a later service may send more.
 */

/** Returns an object member. */
function getObject(parent: JsonObject, name: string): JsonObject {
  const value = parent[name];
  return isJsonObject(value) ? value : fail(name, 'an object');
}

/** Returns a member that is an array of objects. */
function getObjects(parent: JsonObject, name: string): readonly JsonObject[] {
  const value = parent[name];
  return Array.isArray(value) && value.every(isJsonObject) ? value : fail(name, 'an array of objects');
}

/** Requires strings. */
function requireStrings(parent: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (typeof parent[name] !== 'string') fail(name, 'a string');
}

/** Requires strings or null. */
function requireStringsOrNull(parent: JsonObject, ...names: readonly string[]): void {
  for (const name of names)
    if (parent[name] !== null && typeof parent[name] !== 'string') fail(name, 'a string or null');
}

/** Requires numbers. */
function requireNumbers(parent: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (typeof parent[name] !== 'number') fail(name, 'a number');
}

/** Requires arrays of numbers. */
function requireNumberLists(parent: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    const value = parent[name];
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'number')) fail(name, 'an array of numbers');
  }
}

/** Requires an array of strings. */
function requireStringList(parent: JsonObject, name: string): void {
  const value = parent[name];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) fail(name, 'an array of strings');
}

/** Requires booleans. */
function requireBooleans(parent: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (typeof parent[name] !== 'boolean') fail(name, 'a boolean');
}

/** Requires this value. */
function requireValue(parent: JsonObject, name: string, expected: string | number): void {
  if (parent[name] !== expected) fail(name, 'that of the request');
}

function fail(name: string, expected: string): never {
  throw new InvalidResponseError(`The response is invalid: ${name} is not ${expected}.`);
}

/** What a call that signs asks for beside signatures (`?include=`). */
export type Included = readonly ('payload' | 'request')[];

/** Validates the data of `POST /sign`. */
export function readSignature(data: JsonObject, included: Included): Omit<Signature, 'verified'> {
  requireStrings(data, 'signature', 'algorithm', 'encoding', 'publicKey', 'signedAt');
  requireIncluded(data, included);
  return data as unknown as Signature;
}

function requireIncluded(signed: JsonObject, included: Included): void {
  if (included.includes('payload')) requireStrings(signed, 'payload');
  if (!included.includes('request')) return;
  const request = getObject(signed, 'request');
  requireStringList(request, 'missing');
  if (request['message'] !== undefined) {
    requireStrings(request, 'message');
  } else {
    requireStrings(request, 'method', 'url', ...(request['body'] === undefined ? [] : ['body']));
    const headers = getObject(request, 'headers');
    requireStrings(headers, ...Object.keys(headers));
  }
}

/** Validates the data of `POST /sign/batch`: one result per request, in order. */
export function readBatch(data: JsonObject, requests: readonly BatchRequest[], included: Included): BatchResult {
  const results = getObjects(data, 'results');
  if (results.length !== requests.length)
    throw new InvalidResponseError('The response does not have one result per request.');
  for (const [index, result] of results.entries()) {
    requireValue(result, 'requestId', requests[index]?.requestId ?? '');
    readBatchItem(result, included);
  }
  const summary = getObject(data, 'summary');
  const failed = results.filter(({ status }) => status === 'failed').length;
  requireValue(summary, 'total', results.length);
  requireValue(summary, 'failed', failed);
  requireValue(summary, 'successful', results.length - failed);
  return {
    results: results as unknown as readonly BatchItemResult[],
    summary: summary as unknown as BatchResult['summary'],
  };
}

function readBatchItem(result: JsonObject, included: Included): void {
  if (result['status'] === 'success') {
    requireStrings(result, 'signature', 'algorithm');
    requireIncluded(result, included);
    return;
  }
  requireValue(result, 'status', 'failed');
  const error = getObject(result, 'error');
  requireStrings(error, 'code', 'message');
  getObject(error, 'details');
}

/** Validates the data of `POST /verify`. */
export function readVerification(data: JsonObject): Verification {
  requireBooleans(data, 'valid');
  return data as unknown as Verification;
}

/** Validates the data of `GET /accounts`. */
export function readAccountList(data: JsonObject): AccountList {
  for (const account of getObjects(data, 'accounts')) {
    requireStrings(account, 'accountId', 'platformId', 'alias', 'status', 'environment');
    const usage = getObject(account, 'usage');
    requireNumbers(usage, 'totalSigns', 'errorCount');
    requireStringsOrNull(usage, 'lastSignAt');
  }
  requireNumbers(data, 'total');
  return data as unknown as AccountList;
}

/** Validates the data of `GET /accounts?limit=N`. */
export function readAccountPage(data: JsonObject): AccountPage {
  requireStringsOrNull(data, 'nextCursor');
  return { ...readAccountList(data), nextCursor: data['nextCursor'] as string | null };
}

/** Validates the data of `GET /accounts/{platformId}/{accountId}`. */
export function readAccount(data: JsonObject, { platformId, accountId }: AccountName): Account {
  requireValue(data, 'platformId', platformId);
  requireValue(data, 'accountId', accountId);
  requireStrings(data, 'alias', 'status', 'environment', 'algorithm', 'publicKey', 'createdAt');
  requireStringsOrNull(data, 'lastUsed');
  return data as unknown as Account;
}

/** Validates the data of `POST /config/reload`. */
export function readReload(data: JsonObject): ReloadResult {
  requireStrings(data, 'reloadedAt');
  requireNumbers(getObject(data, 'changes'), 'added', 'updated', 'removed');
  requireNumbers(data, 'accountCount', 'platformCount');
  return data as unknown as ReloadResult;
}

/** Validates the data of `GET /status`. */
export function readStatus(data: JsonObject): StatusReport {
  requireStrings(data, 'status', 'uptime');
  const config = getObject(data, 'config');
  requireStrings(config, 'path');
  requireStringsOrNull(config, 'lastLoaded');
  requireBooleans(config, 'isWatching');
  const accounts = getObject(data, 'accounts');
  requireNumbers(accounts, 'total');
  getObject(accounts, 'byPlatform');
  const performance = getObject(data, 'performance');
  requireStrings(performance, 'avgSigningTime');
  requireNumbers(performance, 'totalSigns', 'errorRate');
  if (data['activity'] !== undefined) requireActivity(getObject(data, 'activity'));
  return data as unknown as StatusReport;
}

function requireActivity(activity: JsonObject): void {
  requireNumbers(activity, 'intervalSeconds');
  requireNumberLists(activity, 'signatures', 'refusals');
  const refusedBy = getObject(activity, 'refusedBy');
  for (const kind of ['accounts', 'callers', 'policies']) {
    for (const entry of getObjects(refusedBy, kind)) {
      requireNumbers(entry, 'count');
      requireStrings(entry, 'lastAt');
      requireStringsOrNull(entry, 'lastCode');
    }
  }
  for (const record of getObjects(activity, 'records')) requireStrings(record, 'time', 'event', 'outcome');
}

/** Reads the details of the refusal `NOT_READY`; null if they have no valid checks. */
export function readFailedReadiness(details: JsonObject): Readiness | null {
  try {
    return { ...readReadiness(details), ready: false };
  } catch (error) {
    if (error instanceof InvalidResponseError) return null;
    throw error;
  }
}

/** Validates the data of `GET /readyz`. */
export function readReadiness(data: JsonObject): Readiness {
  const checks = getObject(data, 'checks');
  for (const name of Object.keys(checks)) requireBooleans(getObject(checks, name), 'ok');
  return { ready: data['status'] === 'ready', checks: checks as unknown as Readiness['checks'] };
}
