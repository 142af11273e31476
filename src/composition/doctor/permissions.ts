import type { CredentialsContent } from '../../adapters/driven/credential-source/credentials-schema.ts';
import { Permissions } from '../../domain/model/permissions.ts';
import { ANONYMOUS } from '../../domain/model/principal.ts';
import { WILDCARD } from '../../domain/model/wildcard-pattern.ts';
import { type Finding, ok, warning } from '../../machine/finding.ts';
import { identifiesCallers, permissionCautions } from '../permission-cautions.ts';
import type { Settings } from '../settings.ts';

/** Most places that one finding names. */
const MOST_NAMED = 20;

/** Whether anybody can do anything with the permissions list of a credentials file, and whether whom and what it names is there. */
export function checkPermissions(settings: Settings, content: CredentialsContent): readonly Finding[] {
  const { permissions } = content;
  if (permissions === undefined) {
    return [ok('permissions', 'the credentials file has no permissions list: every caller may do everything')];
  }
  const canIdentify = identifiesCallers(settings);
  const cautions = permissionCautions(new Permissions(permissions), canIdentify);
  const findings = [
    ...cautions.map(({ message, remedy }) => warning('permissions', message, remedy)),
    // Where all of them are without effect, that is said already.
    ...(canIdentify || cautions.length > 0 ? [] : checkPrincipals(permissions)),
    ...checkNames(content),
  ];
  return findings.length > 0 ? findings : [ok('permissions', `entries: ${permissions.length}`)];
}

/** An id that is not there is perhaps misspelt: then it allows nothing. */
function checkNames({ permissions = [], accounts, platforms }: CredentialsContent): readonly Finding[] {
  const platformIds = new Set(platforms.map(({ platformId }) => platformId));
  const names = new Set(accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`));
  const isThere = (pattern: string) => {
    if (!pattern.includes(WILDCARD)) return names.has(pattern);
    const [platform = ''] = pattern.split('/');
    return platform.includes(WILDCARD) || platformIds.has(platform);
  };
  const places = permissions.flatMap(({ accounts: patterns = [] }, entry) =>
    patterns.flatMap((pattern, index) => (isThere(pattern) ? [] : [`permissions[${entry}].accounts[${index}]`])),
  );
  return placesWarning(
    places,
    'no such account or platform in the credentials file',
    'Check the spelling, or remove what is not needed any more.',
  );
}

/** Where nobody can prove who he is, everybody is anonymous. */
function checkPrincipals(permissions: NonNullable<CredentialsContent['permissions']>): readonly Finding[] {
  const places = permissions.flatMap(({ principals }, entry) =>
    principals.includes(ANONYMOUS) ? [] : [`permissions[${entry}]`],
  );
  return placesWarning(
    places,
    'never matches, since no setting lets callers prove who they are, and they all are anonymous then',
    'Set SIGNING_AUTH, or ask for client certificates (SIGNING_TLS_CLIENT_CA_FILE), or remove what has no effect.',
  );
}

function placesWarning(places: readonly string[], what: string, remedy: string): readonly Finding[] {
  if (places.length === 0) return [];
  const more = places.length > MOST_NAMED ? ` and ${places.length - MOST_NAMED} more` : '';
  return [warning('permissions', `${places.slice(0, MOST_NAMED).join(', ')}${more}: ${what}`, remedy)];
}
