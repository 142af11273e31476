import type { CredentialAccount } from '../../ports/credential-source.ts';
import type { Account, AccountStatus } from '../model/account.ts';
import type { Algorithm } from '../model/algorithm.ts';
import type { FixedValues } from '../model/fixed-values.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { AdmittedKey } from './key-admission.ts';

/**
 * An account as configured, with the key that was taken in for it. A class, since there may be a hundred thousand of them: all of its objects have one hidden class in V8, while that of Node 20 makes one for
 * each object that is spread into a longer one, and every collection of garbage goes through them all.
 */
export class AdmittedAccount implements Account {
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  readonly status: AccountStatus;
  readonly environment: string;
  readonly algorithm: Algorithm;
  readonly publicKey: string;
  readonly createdAt: string;
  readonly key: KeyHandle;
  declare readonly values?: FixedValues;
  declare readonly keyRevision?: string;

  /** @param createdAt ISO 8601 UTC with milliseconds, also where the configuration gives none */
  constructor(credential: CredentialAccount, createdAt: string, { handle, publicKey }: AdmittedKey) {
    this.platformId = credential.platformId;
    this.accountId = credential.accountId;
    this.alias = credential.alias;
    this.status = credential.status;
    this.environment = credential.environment;
    this.algorithm = credential.algorithm;
    this.publicKey = publicKey;
    this.createdAt = createdAt;
    this.key = handle;
    if (credential.values !== undefined) this.values = credential.values;
    if (credential.keyRevision !== undefined) this.keyRevision = credential.keyRevision;
  }
}
