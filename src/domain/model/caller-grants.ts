import type { AccountSelection } from './account-selection.ts';
import { ACCOUNT_OPERATIONS, type AccountOperation, type Operation } from './permission-entry.ts';

/** An entry of a permissions list, made ready to be asked. */
export interface Grant {
  readonly operations: readonly Operation[];
  readonly accounts: AccountSelection;
}

/** The grants of a whole list that name an account by its ids. */
export interface NamingGrants {
  of(platformId: string, accountId: string): readonly Grant[];
}

/** A caller's grants for one operation. */
interface OperationGrants {
  /** With no star among their accounts. */
  readonly plain: readonly Grant[];
  readonly patterned: readonly Grant[];
}

/** So many are asked one after the other; with more it pays to look up who names the account. */
const FEW = 8;

/** What the entries that name one caller allow together. It refers to them and copies nothing, so that any number of callers can be kept in mind. */
export class CallerGrants {
  /** What the caller may do at all, on whichever accounts. */
  readonly operations: ReadonlySet<Operation>;
  readonly #grants: ReadonlySet<Grant>;
  readonly #byOperation: ReadonlyMap<AccountOperation, OperationGrants>;
  readonly #naming: NamingGrants;

  constructor(grants: readonly Grant[], naming: NamingGrants) {
    this.operations = new Set(grants.flatMap(({ operations }) => operations));
    this.#grants = new Set(grants);
    this.#naming = naming;
    this.#byOperation = new Map(
      ACCOUNT_OPERATIONS.filter((operation) => this.operations.has(operation)).map((operation) => {
        const allowing = grants.filter(({ operations }) => operations.includes(operation));
        const patterned = allowing.filter(({ accounts }) => accounts.hasPatterns);
        return [operation, { plain: allowing.filter(({ accounts }) => !accounts.hasPatterns), patterned }];
      }),
    );
  }

  allowsOn(operation: AccountOperation, platformId: string, accountId: string): boolean {
    const grants = this.#byOperation.get(operation);
    if (grants === undefined) return false;
    const { plain, patterned } = grants;
    if (isIncluded(patterned, platformId, accountId)) return true;
    if (plain.length <= FEW) return isIncluded(plain, platformId, accountId);

    const naming = this.#naming.of(platformId, accountId);
    if (naming.length > plain.length) return isIncluded(plain, platformId, accountId);
    return naming.some((grant) => this.#grants.has(grant) && grant.operations.includes(operation));
  }
}

/** A loop: this is asked for each signature, and for each of a hundred thousand accounts of a list. */
function isIncluded(grants: readonly Grant[], platformId: string, accountId: string): boolean {
  for (const { accounts } of grants) if (accounts.includes(platformId, accountId)) return true;
  return false;
}
