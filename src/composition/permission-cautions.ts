import type { Permissions } from '../domain/model/permissions.ts';
import type { Settings } from './settings.ts';

/** Something to look at in permissions that are well formed. */
export interface PermissionCaution {
  /** What is so: one sentence. */
  readonly message: string;
  /** What to do about it: one sentence. */
  readonly remedy: string;
}

/** Whether any setting lets callers prove who they are. */
export function identifiesCallers({ tls, auth }: Settings): boolean {
  return auth.mode !== 'off' || (tls !== null && tls.clients !== null);
}

/**
 * Warnings about a change of permissions: losing one line of the file can give every caller every
 * permission.
 */
export function changeCautions(after: Permissions, before: Permissions): readonly PermissionCaution[] {
  if (!after.isOpen || before.isOpen) return [];
  return [
    {
      message: 'The permissions list is gone from the credentials file: every caller may do everything now.',
      remedy: 'Put the list back, where that was not meant.',
    },
  ];
}

/**
 * What operators should know of permissions that are in force, or would be.
 * @param canIdentify whether any caller can have a principal; see {@link identifiesCallers}
 */
export function permissionCautions(
  { isOpen, allowsAnonymous }: Permissions,
  canIdentify: boolean,
): readonly PermissionCaution[] {
  if (isOpen || canIdentify || allowsAnonymous) return [];
  return [
    {
      message:
        'Every call is refused: the credentials file has a permissions list, no setting lets callers prove who they are, and no entry names anonymous, which they all are then.',
      remedy: 'Add an entry for anonymous, or remove the list where every caller may do everything.',
    },
  ];
}

/** Both, for a reload: what operators should know of the permissions that it puts in force. */
export function reloadCautions(after: Permissions, before: Permissions, settings: Settings): readonly string[] {
  const cautions = [...changeCautions(after, before), ...permissionCautions(after, identifiesCallers(settings))];
  return cautions.map(({ message, remedy }) => `${message} ${remedy}`);
}
