import { WILDCARD } from './wildcard-pattern.ts';

/** What may be done with accounts: sign, have signatures verified, and read (the list and the single view). */
export const ACCOUNT_OPERATIONS = ['sign', 'verify', 'read'] as const;

/** What may be done with the service as a whole: reload its configuration, and read its status report. */
export const SERVICE_OPERATIONS = ['reload', 'status'] as const;

/** Everything that permissions are about. */
export const OPERATIONS = [...ACCOUNT_OPERATIONS, ...SERVICE_OPERATIONS] as const;

/** See {@link ACCOUNT_OPERATIONS}. */
export type AccountOperation = (typeof ACCOUNT_OPERATIONS)[number];

/** See {@link SERVICE_OPERATIONS}. */
export type ServiceOperation = (typeof SERVICE_OPERATIONS)[number];

/** See {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** One entry of the permissions list: these callers may do these operations, on these accounts. */
export interface PermissionEntry {
  /** Principals, with `*` for any run of characters; `anonymous` for callers who did not prove who they are, whom no `*` stands for. */
  readonly principals: readonly string[];
  /** `platformId/accountId`, with `*` in either; absent where no operation is about accounts. */
  readonly accounts?: readonly string[] | undefined;
  /** Operations, or `*` alone for all of them. */
  readonly operations: readonly (Operation | typeof WILDCARD)[];
}

/** Whether an operation is done with an account. */
export function isAccountOperation(operation: Operation): operation is AccountOperation {
  return (ACCOUNT_OPERATIONS as readonly Operation[]).includes(operation);
}

/** The operations that an entry allows, `*` written out. */
export function operationsOf({ operations }: Pick<PermissionEntry, 'operations'>): readonly Operation[] {
  return operations.flatMap((operation) => (operation === WILDCARD ? OPERATIONS : [operation]));
}
