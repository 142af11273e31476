import type { Clock } from '../../ports/clock.ts';
import type { CredentialEditor } from '../../ports/credential-editor.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import type { AccountStatus, SecretDecoding } from '../model/account.ts';
import type { Algorithm, SignatureEncoding } from '../model/algorithm.ts';
import { OperatorError } from '../model/errors.ts';
import type { PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import {
  type ConfiguredNamedRule,
  type ConfiguredRule,
  completeRule,
  completeRules,
  type DataFormat,
  DEFAULT_RULE_OF_FORMAT,
  defaultAlgorithms,
  type Platform,
  type PlatformVerify,
} from '../model/platform.ts';
import type { PolicyEntry } from '../model/policy.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** Input of `platform add`; absent options follow from the format and the rule. */
export interface PlatformSpec {
  readonly platformId: string;
  readonly format: DataFormat;
  readonly algorithms?: readonly Algorithm[];
  readonly encoding?: SignatureEncoding;
  /** Rule name, with default options. */
  readonly rule?: PayloadRuleName;
  /** A rule with options, instead of `rule`. */
  readonly payload?: ConfiguredRule;
  /** Named rules; absent: none. */
  readonly rules?: { readonly [name: string]: ConfiguredNamedRule };
  readonly secretDecoding?: SecretDecoding;
  readonly verify?: PlatformVerify;
  /** See {@link PlatformAudit}; absent: the format's allowlist alone. */
  readonly auditClear?: readonly string[];
}

/**
 * Changes platforms and policies from the command line. A running service picks changes up
 * automatically or on a reload.
 */
export class PlatformAdministrationService {
  readonly #editor: CredentialEditor;
  readonly #clock: Clock;
  readonly #policies: PolicyCompiler;

  constructor(editor: CredentialEditor, clock: Clock, policies: PolicyCompiler) {
    this.#editor = editor;
    this.#clock = clock;
    this.#policies = policies;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#editor.location;
  }

  /**
   * Removes a platform without accounts. @throws OperatorError that names its accounts;
   * CredentialLoadError
   */
  removePlatform(platformId: string): Promise<void> {
    return this.#editor.removePlatform(platformId);
  }

  /**
   * Adds a platform with defaults filled in, and policies, and returns it. @throws
   * OperatorError, CredentialLoadError
   */
  async addPlatform(spec: PlatformSpec, policies: readonly PolicyEntry[] = []): Promise<Platform> {
    const { platformId, format, encoding, rules, secretDecoding, verify, auditClear } = spec;
    const payload = toPayloadRule(spec);
    const platform: Platform = {
      platformId,
      format,
      algorithms: spec.algorithms ?? defaultAlgorithms(format, payload),
      ...(encoding === undefined ? {} : { encoding }),
      payload,
      ...(rules === undefined ? {} : { rules: completeRules(rules) }),
      ...(auditClear === undefined ? {} : { audit: { clear: auditClear } }),
      ...(secretDecoding === undefined ? {} : { secretDecoding }),
      ...(verify === undefined ? {} : { verify }),
    };
    await this.#assertDecidable([platform], policies);
    await this.#editor.addPlatform(platform, policies);
    return platform;
  }

  /** Adds policies, compiled for all platforms. @throws OperatorError */
  async addPolicies(policies: readonly PolicyEntry[]): Promise<void> {
    const { platforms } = await this.#editor.list();
    await this.#assertDecidable(platforms, policies);
    await this.#editor.addPolicies(policies);
  }

  /**
   * Sets the status of a platform, and none of its accounts. @throws OperatorError,
   * CredentialLoadError
   */
  setPlatformStatus(platformId: string, status: AccountStatus): Promise<void> {
    return this.#editor.setPlatformStatus(platformId, status);
  }

  /** Policies on all platforms may read what the new one does not sign. @throws OperatorError */
  async #assertDecidable(platforms: readonly Platform[], added: readonly PolicyEntry[]): Promise<void> {
    const { policies, budgets } = await this.#editor.list();
    const slice = new TimeSlice(this.#clock);
    const compiled = await this.#policies.compile([...policies, ...added], platforms, slice, budgets);
    if (compiled.ok) return;
    const [issue] = compiled.refusal;
    throw new OperatorError(`Nothing was changed: ${issue?.path ?? 'policies'} ${issue?.message ?? ''}.`);
  }
}

function toPayloadRule({ format, rule, payload }: PlatformSpec): PayloadRule {
  if (payload !== undefined) return completeRule(payload);
  const byFormat = DEFAULT_RULE_OF_FORMAT[format];
  return rule === undefined || rule === byFormat.rule ? byFormat : completeRule({ rule });
}
