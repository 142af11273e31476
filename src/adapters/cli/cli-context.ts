import type { Usage, UsageTotals } from '../../domain/model/account.ts';
import type { FollowerEvent, FollowRequest } from '../../domain/model/audit-entry.ts';
import type { AuditVerdict, AuditVerification } from '../../domain/model/audit-verdict.ts';
import type { IssuedToken, NewAuthority, TokenInspection, TokenSpec } from '../../domain/model/authentication.ts';
import type {
  MasterKeyProtection,
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../domain/model/master-key-rotation.ts';
import type { AccountAdministrationService } from '../../domain/services/account-administration-service.ts';
import type { BudgetLeft } from '../../domain/services/budget-report.ts';
import type { ConfigurationAdministrationService } from '../../domain/services/configuration-administration-service.ts';
import type { PolicyTrialService } from '../../domain/services/policy-trial-service.ts';
import type { BackupFolders, BackupReport, RestoreReport } from './backup/manifest.ts';
import type { SettingHelp } from './command-manual.ts';
import type { StatusCall, StatusSource } from './status/source.ts';
import type { TerminalStyle } from './terminal/style.ts';

/** Environment variables, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined };

/** A file of `init`. */
export interface InitialisedFile {
  readonly purpose: 'master key' | 'credentials file' | 'audit key' | 'audit public key';
  readonly file: string;
  readonly created: boolean;
}

/** Certificates for a trial, issued by a CA of their own; files are paths. */
export interface TrialTls {
  readonly folder: string;
  /** Whether they did not exist before. */
  readonly created: boolean;
  /** Validity of new ones. */
  readonly days: number;
  readonly ca: string;
  readonly clientCert: string;
  readonly clientKey: string;
  /** Settings with which the service uses them. */
  readonly settings: { readonly [name: string]: string };
  /** Of the main port. */
  readonly url: string;
  /** Of the operators' port, if there is one. */
  readonly statusUrl: string;
}

/** A service in this process. */
export interface RunningInstallation {
  readonly url: string;
  /** Finishes requests in flight and wipes every key. */
  stop(): Promise<void>;
}

/** The files that an environment names, and operations on them, each loaded on first use. */
export interface Installation {
  /**
   * Creates missing files; never overwrites one.
   * @param protection of the master key; null: that of an existing one, none for a new one
   * @throws OperatorError if an existing master key has another protection
   */
  initialise(protection: MasterKeyProtection | null): Promise<readonly InitialisedFile[]>;
  /** Creates missing certificates for a trial; never overwrites one. */
  trialTls(): Promise<TrialTls>;
  /** Accounts and their keys. */
  accounts(): Promise<AccountAdministrationService>;
  /** Platforms, permissions, policies and budgets; opens no key. */
  configuration(): Promise<ConfigurationAdministrationService>;
  /** Tries policies; opens no key. */
  policies(): Promise<PolicyTrialService>;
  /** The master key and its rotation. */
  masterKeys(): Promise<{
    /** Path of the credentials file. */
    readonly location: string;
    report(): Promise<MasterKeyReport>;
    /**
     * @param protection of the new key; null: that of the first one
     */
    rotate(
      protection: MasterKeyProtection | null,
      onProgress?: (done: number, total: number) => void,
    ): Promise<MasterKeyRotation>;
    retire(): Promise<MasterKeyRetirement>;
  }>;
  /** Issues and inspects access tokens. */
  tokens(): Promise<{
    /** @param believe whether to add its public key to the service's authorities */
    createAuthority(keyFile: string, believe: boolean): NewAuthority;
    issue(spec: TokenSpec): IssuedToken;
    /** @param text base64 of an AccessToken or RequestAuthInfo */
    inspect(text: string): TokenInspection;
  }>;
  /** Copies of the installation; an operation that fails removes what it wrote. */
  backups(): Promise<{
    backUp(folders: BackupFolders): Promise<BackupReport>;
    restore(folders: BackupFolders): Promise<RestoreReport>;
  }>;
  /** What is left of each budget of each account, and why that is unknown: sentences. */
  readBudgets(): Promise<{ readonly budgets: readonly BudgetLeft[]; readonly problems: readonly string[] }>;
  /** Starts the service in this process. */
  start(): Promise<RunningInstallation>;
  /** Wipes every key. */
  close(): void;
}

/** Result of a check of machine, process or configuration. */
export interface DoctorFinding {
  /** Name of the check. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fail';
  /** Lines without secrets. */
  readonly message: string;
  /** What to do; null if ok. */
  readonly remedy: string | null;
}

/** Audit files to verify. */
export interface AuditCheckRequest extends Omit<AuditVerification, 'count'> {
  /** Whether to recount usage. */
  readonly usage: boolean;
}

/** Usage recounted from audit records. */
export interface UsageRecount {
  /** Sorted by platform and account. */
  readonly accounts: readonly ({ readonly platformId: string; readonly accountId: string } & Usage)[];
  readonly totals: UsageTotals;
}

/** Keys that audit files were verified with. */
export type TrustedKeys =
  | { readonly source: 'given' }
  /** By default: the public half of the configured audit key, from this file. */
  | { readonly source: 'configured'; readonly file: string }
  /** Neither this public key file nor the audit key can be read: the keys that the files name. */
  | { readonly source: 'none'; readonly file: string };

/** Result of `audit verify`. */
export interface AuditCheck {
  readonly verdict: AuditVerdict;
  readonly keys: TrustedKeys;
  /** Null if not requested, or after an issue. */
  readonly usage: UsageRecount | null;
}

/** Standard output of a long-running command. */
export interface LiveOutput extends TerminalStyle {
  /** Lines of the terminal; null if unknown or not a terminal. */
  readonly rows: number | null;
  /** Aborted by Ctrl-C, SIGTERM or a closed pipe. */
  readonly stopped: AbortSignal;
  /** Resolves when the text is written or the stream is closed. */
  write(text: string): Promise<void>;
  /** Writes to standard error. */
  warn(text: string): void;
}

/** Dependencies of the command line, supplied by `cli.ts`. */
export interface CliContext {
  readonly environment: Environment;
  /** @throws Error naming each wrong setting */
  open(environment: Environment): Promise<Installation>;
  /** Explains settings in help; absent unless help is requested. */
  readonly settingHelp?: SettingHelp | undefined;
  /** Runs the service until a signal. */
  serve(environment: Environment): Promise<void>;
  /**
   * Checks machine, process and configuration without changes; invalid settings are a finding.
   * @param options.clockReference a server whose Date header the clock is compared with
   */
  doctor(
    environment: Environment,
    options: { readonly clockReference?: URL | undefined },
  ): Promise<readonly DoctorFinding[]>;
  /** Reads settings only if files or keys are not named. */
  verifyAudit(environment: Environment, request: AuditCheckRequest): Promise<AuditCheck>;
  /** Follows the audit file; see `FollowRequest`. */
  followAudit(request: FollowRequest): AsyncIterable<FollowerEvent>;
  /**
   * Path of the audit file.
   * @throws Error naming each wrong setting
   */
  auditFile(environment: Environment): Promise<string>;
  /**
   * The running service that options or settings name.
   * @throws OperatorError for an invalid option, file or setting
   */
  openStatusSource(environment: Environment, call: StatusCall): Promise<StatusSource>;
  openLiveOutput(): LiveOutput;
  /** Sets the exit code of a command that has printed its result. */
  endAs(outcome: 'refused' | 'incomplete' | 'notReady'): void;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
  /** Style of standard output. */
  readonly output: TerminalStyle;
  /** Style of standard error. */
  readonly errors: TerminalStyle;
  /** Whether errors are JSON instead of text. */
  readonly wantsJson: boolean;
  /** Writes to standard error; null unless it is a terminal. */
  readonly terminal: ((text: string) => void) | null;
}
