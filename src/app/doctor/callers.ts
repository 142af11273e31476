import type { NetworkList } from '../../adapters/http/callers/network-list.ts';
import { type Finding, ok, warning } from '../../adapters/machine/finding.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { ANONYMOUS } from '../../domain/model/authentication.ts';
import { Permissions } from '../../domain/model/permissions.ts';
import { callerWarnings, identifiesCallers } from '../settings/configuration-warnings.ts';
import { permissionWarnings } from '../settings/permission-warnings.ts';
import type { Settings } from '../settings/settings.ts';
import { findUnknownNames, warnAbout } from './named-entries.ts';

const CHECK = 'callers';

/**
 * Checks whether callers from outside the internal network are accepted, or may choose their
 * address.
 */
export function checkCallers(settings: Settings): readonly Finding[] {
  const { allowedNetworks: allowed, trustedProxies } = settings;
  const warnings = callerWarnings(settings);
  if (warnings.length > 0) return warnings.map(({ message, remedy }) => warning(CHECK, message, remedy));
  const proxies = trustedProxies === null ? '' : `, or through the proxies ${formatNetworks(trustedProxies)}`;
  return [ok(CHECK, `from ${formatNetworks(allowed)}${proxies}, ${formatAuthentication(settings)}`)];
}

function formatNetworks({ networks }: NetworkList): string {
  return networks.length > 4 ? `${networks.length} networks` : networks.join(', ');
}

function formatAuthentication({ tls, forwardedCertificates, auth: { mode } }: Settings): string {
  const forwarded = forwardedCertificates === null ? '' : `, which proxies forward in ${forwardedCertificates.header}`;
  const methods = [
    ...(tls?.clients != null || forwarded !== '' ? [`a client certificate${forwarded}`] : []),
    ...(mode === 'off' ? [] : [`an access token (${mode})`]),
  ];
  return methods.length === 0 ? 'unauthenticated' : `authenticated by ${methods.join(' and ')}`;
}

/**
 * Checks the permissions list: whether it grants anything, and whether its principals and accounts
 * exist.
 */
export function checkPermissions(settings: Settings, content: CredentialsContent): readonly Finding[] {
  const { permissions } = content;
  if (permissions === undefined) {
    return [ok('permissions', 'the credentials file has no permissions list: every caller may do everything')];
  }
  const canIdentify = identifiesCallers(settings);
  const warnings = permissionWarnings(new Permissions(permissions), canIdentify);
  const findings = [
    ...warnings.map(({ message, remedy }) => warning('permissions', message, remedy)),
    // permissionWarnings reports this if it applies to all entries.
    ...(canIdentify || warnings.length > 0 ? [] : checkPrincipals(permissions)),
    ...findUnknownNames('permissions', permissions, content),
  ];
  return findings.length > 0 ? findings : [ok('permissions', `entries: ${permissions.length}`)];
}

/** Without authentication, every caller is anonymous. */
function checkPrincipals(permissions: NonNullable<CredentialsContent['permissions']>): readonly Finding[] {
  const paths = permissions.flatMap(({ principals }, entry) =>
    principals.includes(ANONYMOUS) ? [] : [`permissions[${entry}]`],
  );
  return warnAbout(
    'permissions',
    paths,
    'never matches: without authentication all callers are anonymous',
    'Set SIGNING_AUTH, or require client certificates (SIGNING_TLS_CLIENT_CA_FILE), or remove entries without effect.',
  );
}
