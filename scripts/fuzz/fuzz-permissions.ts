import type { PermissionEntry } from '../../src/domain/model/permission-entry.ts';

/** May do everything. */
export const FUZZ_PRINCIPAL = 'fuzz';

/** May sign for {@link LIMITED_ACCOUNT}, and nothing else. */
export const LIMITED_PRINCIPAL = 'fuzz-limited';

/** Signed for by {@link LIMITED_PRINCIPAL}; no other request of the fuzzer names it. */
export const LIMITED_ACCOUNT = { platformId: 'texts', accountId: 'limited' } as const;

/** The list of the service with client certificates. */
export const FUZZ_PERMISSIONS: readonly PermissionEntry[] = [
  { principals: [FUZZ_PRINCIPAL], accounts: ['*/*'], operations: ['*'] },
  {
    principals: [LIMITED_PRINCIPAL],
    accounts: [`${LIMITED_ACCOUNT.platformId}/${LIMITED_ACCOUNT.accountId}`],
    operations: ['sign'],
  },
];
