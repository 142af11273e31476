import type { Permissions } from '../../domain/model/permissions.ts';
import { type ConfigurationWarning, identifiesCallers } from './configuration-warnings.ts';
import type { Settings } from './settings.ts';

/** Warnings about a change: losing one line of the file can grant everything to everybody. */
export function changeWarnings(after: Permissions, before: Permissions): readonly ConfigurationWarning[] {
  if (!after.isOpen || before.isOpen) return [];
  return [
    {
      message: 'The permissions list is gone from the credentials file: every caller may do everything now.',
      remedy: 'Put the list back, where that was not meant.',
    },
  ];
}

/**
 * Warnings about a permissions list.
 * @param canIdentify whether any caller can have a principal; see {@link identifiesCallers}
 */
export function permissionWarnings(
  { isOpen, allowsAnonymous }: Permissions,
  canIdentify: boolean,
): readonly ConfigurationWarning[] {
  if (isOpen || canIdentify || allowsAnonymous) return [];
  return [
    {
      message:
        'Every call is refused: the credentials file has a permissions list, no setting lets callers prove who they are, and no entry names anonymous, which they all are then.',
      remedy: 'Add an entry for anonymous, or remove the list where every caller may do everything.',
    },
  ];
}

/** Warnings about the permissions that a reload puts in force. */
export function reloadWarnings(after: Permissions, before: Permissions, settings: Settings): readonly string[] {
  const warnings = [...changeWarnings(after, before), ...permissionWarnings(after, identifiesCallers(settings))];
  return warnings.map(({ message, remedy }) => `${message} ${remedy}`);
}
