/** Operations on accounts; `read` covers the list and single accounts. */
export const ACCOUNT_OPERATIONS = ['sign', 'verify', 'read'] as const;

/** Operations on the service: reload its configuration, read its status report. */
export const SERVICE_OPERATIONS = ['reload', 'status'] as const;

/** All operations of permissions. */
export const OPERATIONS = [...ACCOUNT_OPERATIONS, ...SERVICE_OPERATIONS] as const;

/** See {@link ACCOUNT_OPERATIONS}. */
export type AccountOperation = (typeof ACCOUNT_OPERATIONS)[number];

/** See {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** Whether an operation is done with an account. */
export function isAccountOperation(operation: Operation): operation is AccountOperation {
  return (ACCOUNT_OPERATIONS as readonly Operation[]).includes(operation);
}
