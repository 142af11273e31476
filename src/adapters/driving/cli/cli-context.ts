import type { FollowRequest, Sighting } from '../../../domain/model/audit-sighting.ts';
import type { AuditVerdict, AuditVerification } from '../../../domain/model/audit-verdict.ts';
import type {
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../../domain/model/master-key-rotation.ts';
import type { IssuedToken, NewAuthority, TokenInspection, TokenWish } from '../../../domain/model/token-issuance.ts';
import type { Usage, UsageTotals } from '../../../domain/model/usage.ts';
import type { AccountAdministrationService } from '../../../domain/services/account-administration-service.ts';
import type { SettingHelp } from './command-manual.ts';
import type { Look } from './look.ts';

/** Environment variables, as `process.env` holds them. */
export type Environment = { readonly [name: string]: string | undefined };

/** A file that `init` made, or found already there and left alone. */
export interface InitialisedFile {
  readonly purpose: 'master key' | 'credentials file' | 'audit key' | 'audit public key';
  readonly file: string;
  readonly created: boolean;
}

/** A service that answers requests in this process. */
export interface RunningInstallation {
  readonly url: string;
  /** Finishes what is in flight and forgets every key. */
  stop(): Promise<void>;
}

/** One configured place of work: the files that an environment names, and what can be done with them. */
export interface Installation {
  /**
   * Makes the files that are missing; never overwrites one.
   * @param passphrase whether a new master key gets a passphrase, which is asked for at the terminal (default: false)
   */
  initialise(passphrase?: boolean): Promise<readonly InitialisedFile[]>;
  readonly administration: AccountAdministrationService;
  /** The master key of the credentials file and its rotation. */
  readonly masterKeys: {
    /** Path of the credentials file. */
    readonly location: string;
    report(): Promise<MasterKeyReport>;
    /** @param newPassphrase whether the new key gets a new passphrase */
    rotate(newPassphrase: boolean, onProgress?: (done: number, total: number) => void): Promise<MasterKeyRotation>;
    retire(): Promise<MasterKeyRetirement>;
  };
  /** Makes and inspects access tokens. */
  tokens(): Promise<{
    /**
     * @param believe whether the service is to trust it: adds its public key to the list of
     * authorities
     */
    createAuthority(keyFile: string, believe: boolean): NewAuthority;
    issue(wish: TokenWish): IssuedToken;
    /** @param text base64 of an AccessToken or of a RequestAuthInfo */
    inspect(text: string): TokenInspection;
  }>;
  /** Starts the service in this process. */
  start(): Promise<RunningInstallation>;
  /** Forgets every key that was held for the work. */
  close(): void;
}

/** What one check of machine, process or configuration found. */
export interface DoctorFinding {
  /** Name of the check. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fail';
  /** Lines that hold no secret. */
  readonly message: string;
  /** What to do; null when all is well. */
  readonly remedy: string | null;
}

/** Which audit files are verified, and how. */
export interface AuditCheckRequest extends Omit<AuditVerification, 'count'> {
  /** Whether usage is counted anew. */
  readonly usage: boolean;
}

/** Usage counters, counted anew from audit records. */
export interface UsageRecount {
  /** Sorted by platform and account. */
  readonly accounts: readonly ({ readonly platformId: string; readonly accountId: string } & Usage)[];
  readonly totals: UsageTotals;
}

/** With whose keys audit files were verified. */
export type TrustedKeys =
  | { readonly source: 'given' }
  /** None were given: the public half of the configured audit key, of this file. */
  | { readonly source: 'configured'; readonly file: string }
  /**
   * None were given, this file, in which the public half of the configured key would be, is not
   * there, and the key can't be read: with those that the files name themselves.
   */
  | { readonly source: 'none'; readonly file: string };

/** What came of a check of audit files. */
export interface AuditCheck {
  readonly verdict: AuditVerdict;
  readonly keys: TrustedKeys;
  /** Null when it was not asked for, or when something is not in order. */
  readonly usage: UsageRecount | null;
}

/** Standard output of a command that goes on until it is stopped. */
export interface LiveOutput extends Look {
  /** Aborted by Ctrl-C, SIGTERM, or when nobody reads standard output any more. */
  readonly stopped: AbortSignal;
  /** Writes to standard output; resolves when that took it, or is closed. */
  write(text: string): Promise<void>;
  /** Writes to standard error. */
  warn(text: string): void;
}

/** What the command line needs from outside; `cli.ts` supplies the real one. */
export interface CliContext {
  readonly environment: Environment;
  /** @throws an Error that names each wrong setting. */
  open(environment: Environment): Promise<Installation>;
  /** Explains settings in help; absent where no help is requested. */
  readonly settingHelp?: SettingHelp | undefined;
  /** Runs the service until a signal ends it. */
  serve(environment: Environment): Promise<void>;
  /**
   * Looks over machine, process and configuration, and alters nothing; bad settings are a finding like others.
   * @param options.clockReference a server whose Date header this machine's clock is compared with
   */
  doctor(environment: Environment, options: { readonly clockReference?: URL }): Promise<readonly DoctorFinding[]>;
  /**
   * Verifies audit files; the environment is looked at only where no files, or no keys, are named.
   */
  verifyAudit(environment: Environment, request: AuditCheckRequest): Promise<AuditCheck>;
  /** Reads the audit file while it is written; see `FollowRequest`. */
  followAudit(request: FollowRequest): AsyncIterable<Sighting>;
  /**
   * Path of the service's audit file.
   * @throws an Error that names each wrong setting.
   */
  auditFile(environment: Environment): Promise<string>;
  openLiveOutput(): LiveOutput;
  /** Lets a command that did what was asked end with the exit code of a refusal all the same. */
  endAsRefused(): void;
  /**
   * Lets a check that found nothing wrong, but could not check everything, end with an exit code of
   * its own.
   */
  endAsIncomplete(): void;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
  /** How what is printed may look. */
  readonly output: Look;
  /** How what is written to standard error may look. */
  readonly errors: Look;
  /** Whether errors are to be told as JSON: then nothing says them in words. */
  readonly wantsJson: boolean;
  /** Writes to the terminal at standard error; null where that is none. */
  readonly terminal: ((text: string) => void) | null;
}

/** Opens the installation that the environment names, does the work, and closes it, however the work ends. */
export async function withInstallation<Result>(
  context: CliContext,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const installation = await context.open(context.environment);
  try {
    return await work(installation);
  } finally {
    installation.close();
  }
}
