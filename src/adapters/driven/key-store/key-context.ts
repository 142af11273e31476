import type { KeyIdentity } from '../../../ports/key-store.ts';

/**
 * What a key in the vault is sealed for, as associated data: its place in the vault and the account that it belongs to. UTF-8 of the JSON text
 * `[id,platformId,accountId,algorithm]`; a key that is put in another's place does not open.
 */
export function keyContext(id: string, { platformId, accountId, algorithm }: KeyIdentity): Buffer {
  return Buffer.from(JSON.stringify([id, platformId, accountId, algorithm]));
}
