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
export function identifiesCallers({ tls, auth }: Pick<Settings, 'tls' | 'auth'>): boolean {
  return auth.mode !== 'off' || (tls !== null && tls.clients !== null);
}

/** What operators should know of a change of permissions: one that gives everybody everything is as quickly made as a line is lost. */
export function changeCautions(
  after: Pick<Permissions, 'isOpen'>,
  before: Pick<Permissions, 'isOpen'>,
): readonly PermissionCaution[] {
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
  { isOpen, allowsAnonymous }: Pick<Permissions, 'isOpen' | 'allowsAnonymous'>,
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
