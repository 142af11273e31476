import type { DataFormatValidator } from '../../ports/data-format-validator.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { TypedDataEncoder } from '../../ports/typed-data-encoder.ts';
import type { Account } from '../model/account.ts';
import type { JsonObject } from '../model/json.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import { invalidDataFormat, signatureFailed } from '../model/refusal.ts';
import { buildPayload } from '../payload/build-payload.ts';
import type { PayloadTools } from '../payload/payload-context.ts';

const NO_VALUES = {};

/** Makes the exact bytes that an account's signature is over: the same for who signs and for who verifies. */
export class PayloadMaker {
  readonly #formats: DataFormatValidator;
  readonly #tools: PayloadTools;

  constructor(formats: DataFormatValidator, hasher: Hasher, typedData: TypedDataEncoder) {
    this.#formats = formats;
    this.#tools = { hasher, typedData };
  }

  /**
   * The payload, or INVALID_DATA_FORMAT naming what stands in the way of the platform's format or rule. SIGNATURE_FAILED when a rule throws: a fault of the
   * service or its configuration, which has to leave a record as any other outcome does, and must not take the rest of a batch with it.
   */
  make(platform: Platform, account: Account, data: JsonObject): Outcome<Payload> {
    try {
      return this.#make(platform, account, data);
    } catch (error) {
      return refused(signatureFailed(account.platformId, account.accountId, error));
    }
  }

  #make(platform: Platform, account: Account, data: JsonObject): Outcome<Payload> {
    const issues = this.#formats.findIssues(platform.format, data);
    if (issues.length > 0) return refused(invalidDataFormat(issues));
    const built = buildPayload(data, platform.payload, { ...this.#tools, values: account.values ?? NO_VALUES });
    return built.ok ? accepted(built.payload) : refused(invalidDataFormat([built.issue]));
  }
}
