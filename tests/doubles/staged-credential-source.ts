import type { CredentialSet, CredentialSource } from '../../src/ports/credential-source.ts';
import { type FixedConfiguration, FixedCredentialSource } from './fixed-credential-source.ts';

/** An error before or after a key is passed on. */
export interface KeyIssue {
  readonly when: 'before' | 'after';
  readonly error: unknown;
}

/**
 * A CredentialSource that a test changes, breaks and holds between loads; counts loads and open
 * sets.
 */
export class StagedCredentialSource implements CredentialSource {
  readonly location = 'staged-credentials';
  readonly files = [this.location];
  /** Key errors by account path, `accounts[0]`. */
  readonly keyIssues = new Map<string, KeyIssue>();
  loads = 0;
  openSets = 0;
  #configuration: FixedConfiguration;
  #failure: { readonly error: unknown } | undefined;
  #gate: Promise<void> = Promise.resolve();

  constructor(configuration: FixedConfiguration = { platforms: [], accounts: [] }) {
    this.#configuration = configuration;
  }

  /** Sets the configuration of later loads. */
  contain(configuration: FixedConfiguration): void {
    this.#configuration = configuration;
    this.#failure = undefined;
  }

  /** Makes later loads fail. */
  failWith(error: unknown): void {
    this.#failure = { error };
  }

  /** Later loads read the configuration at once and end when the returned function is called. */
  hold(): () => void {
    let release = () => {};
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  onFiles(): void {
    // No files.
  }

  async load(): Promise<CredentialSet> {
    this.loads += 1;
    const failure = this.#failure;
    const set = await new FixedCredentialSource(this.#configuration).load();
    await this.#gate;
    if (failure !== undefined) throw failure.error;
    return this.#staged(set);
  }

  async digest(): Promise<string | null> {
    return this.#failure === undefined ? new FixedCredentialSource(this.#configuration).digest() : null;
  }

  #staged(set: CredentialSet): CredentialSet {
    let isOpen = true;
    this.openSets += 1;
    const close = () => {
      if (isOpen) this.openSets -= 1;
      isOpen = false;
      set.close();
    };
    const withPrivateKey: CredentialSet['withPrivateKey'] = (account, use) => {
      const issue = this.keyIssues.get(account.path);
      if (issue?.when === 'before') throw issue.error;
      const result = set.withPrivateKey(account, use);
      if (issue?.when === 'after') throw issue.error;
      return result;
    };
    return { ...set, withPrivateKey, close };
  }
}
