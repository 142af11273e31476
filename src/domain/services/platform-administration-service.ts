import type { Ports } from '../../ports/ports.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import type { AccountStatus } from '../model/account.ts';
import { OperatorError } from '../model/errors.ts';
import type { Platform } from '../model/platform.ts';
import type { PolicyEntry } from '../model/policy.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

type Parts = Pick<Ports, 'editor' | 'clock'> & { readonly compiler: PolicyCompiler };

/**
 * Changes platforms and policies from the command line. A running service picks changes up
 * automatically or on a reload.
 */
export class PlatformAdministrationService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#parts.editor.location;
  }

  /**
   * Removes a platform without accounts. @throws OperatorError that names its accounts;
   * CredentialLoadError
   */
  removePlatform(platformId: string): Promise<void> {
    return this.#parts.editor.removePlatform(platformId);
  }

  /** Adds a platform and policies. @throws OperatorError, CredentialLoadError */
  async addPlatform(platform: Platform, policies: readonly PolicyEntry[] = []): Promise<void> {
    await this.#assertDecidable([platform], policies);
    await this.#parts.editor.addPlatform(platform, policies);
  }

  /** Adds policies, compiled for all platforms. @throws OperatorError */
  async addPolicies(policies: readonly PolicyEntry[]): Promise<void> {
    const { platforms } = await this.#parts.editor.list();
    await this.#assertDecidable(platforms, policies);
    await this.#parts.editor.addPolicies(policies);
  }

  /**
   * Sets the status of a platform, and none of its accounts. @throws OperatorError,
   * CredentialLoadError
   */
  setPlatformStatus(platformId: string, status: AccountStatus): Promise<void> {
    return this.#parts.editor.setPlatformStatus(platformId, status);
  }

  /** Policies on all platforms may read what the new one does not sign. @throws OperatorError */
  async #assertDecidable(platforms: readonly Platform[], added: readonly PolicyEntry[]): Promise<void> {
    const { policies, budgets } = await this.#parts.editor.list();
    const slice = new TimeSlice(this.#parts.clock);
    const compiled = await this.#parts.compiler.compile([...policies, ...added], platforms, slice, budgets);
    if (compiled.ok) return;
    const [issue] = compiled.refusal;
    throw new OperatorError(`Nothing was changed: ${issue?.path ?? 'policies'} ${issue?.message ?? ''}.`);
  }
}
