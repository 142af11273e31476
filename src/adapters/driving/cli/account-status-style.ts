import type { AccountStatus } from '../../../domain/model/account.ts';
import type { Style } from './look.ts';

/** The colour in which the status of an account is shown. */
export function statusStyle(status: AccountStatus): Style {
  return status === 'active' ? 'green' : 'yellow';
}
