import type { CredentialIssue, IssuePath } from '../../domain/configuration/credential-issue.ts';
import { ADDRESS_MESSAGE } from '../../domain/payload/rule-options.ts';

/** An address of a rule's EIP-712 domain, with its place in the entry. */
interface PlacedAddress {
  readonly path: IssuePath;
  readonly address: string;
}

const UPPER = /[A-F]/;
const LOWER = /[a-f]/;

/**
 * Finds addresses of EIP-712 domains whose mixed case is not a valid EIP-55 checksum.
 * Loads ethers only if an address has mixed case; the schema, which is synchronous, cannot.
 * @param entry a platform that its schema accepts, or a list of them
 * @param root its place in the file
 */
export async function findChecksumIssues(entry: unknown, root: IssuePath = []): Promise<readonly CredentialIssue[]> {
  const mixed = listContracts(entry, root).filter(({ address }) => UPPER.test(address) && LOWER.test(address));
  if (mixed.length === 0) return [];
  const { isAddress } = await import('ethers/address');
  return mixed
    .filter(({ address }) => !isAddress(address))
    .map(({ path }): CredentialIssue => ({ path, message: ADDRESS_MESSAGE }));
}

/** Rules nest to a depth that the schema limits. */
function listContracts(value: unknown, path: IssuePath): readonly PlacedAddress[] {
  if (typeof value === 'string') {
    const [parent, name] = path.slice(-2);
    return parent === 'domain' && name === 'verifyingContract' ? [{ path, address: value }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => listContracts(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => listContracts(member, [...path, name]));
}
