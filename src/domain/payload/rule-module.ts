import type { z } from 'zod';
import type { Algorithm, SignatureEncoding } from '../model/algorithm.ts';
import type { Issue } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { FixedValues, Payload, PayloadParts, SignedContent, SignedFields } from '../model/payload.ts';
import type { PayloadContext } from './payload-outcome.ts';
import type { WantedContent } from './signed/signed-value.ts';

/** How policies read what a rule signs. */
export interface SignedReader {
  readonly fields: SignedFields;

  /** Decodes the wanted fields of a payload that this rule made. */
  read(payload: Payload, wanted: WantedContent): SignedContent;
}

/** A conflict between valid options of a rule, or with the values of an account. */
export interface RuleIssue {
  /** Names and indices from the rule, or from the values. */
  readonly path: readonly (string | number)[];
  /** Problem and remedy; quotes nothing but field names. */
  readonly message: string;
}

/** All that the service knows of a payload rule; its methods depend on their arguments alone. */
export interface RuleModule<Schema extends z.ZodObject = z.ZodObject> {
  /** The rule as configured, with its name as `rule`; the output has the defaults. */
  readonly schema: Schema;
  /** Whether data of the formats A to D can fit; absent: it never does. */
  readonly fitsFormats?: true;
  /** Whether it ignores all other members of `data`; absent: it refuses those that look signed. */
  readonly ignoresOthers?: true;
  /** The only algorithms that may sign the payload; absent: all that no rule binds. */
  readonly algorithms?: readonly Algorithm[];
  /** The option with which alone `algorithms` apply; absent: always. */
  readonly algorithmsOption?: keyof z.output<Schema> & string;
  /** Names of fixed values that it takes beside those in its templates; absent: none. */
  readonly values?: readonly string[];
  /** All fields that policies may read under any options. */
  readonly fields: SignedFields;

  /** Templates, whose placeholders are signed; absent: none. */
  templates?(rule: z.output<Schema>): readonly string[];

  /** Members of `data` that are signed beside those in templates; absent or null: all of it. */
  members?(rule: z.output<Schema>): readonly string[] | null;

  /** Parts that are signed before they are percent-encoded; absent: none. */
  encodedWhenSent?(rule: z.output<Schema>): readonly (keyof PayloadParts)[];

  /** Fixed values for accounts without values of their own; absent: none. */
  ownValues?(rule: z.output<Schema>): FixedValues | undefined;

  /** Why it cannot take an account's fixed values, with the path from them; absent: it can. */
  findValueIssue?(values: FixedValues): RuleIssue | undefined;

  /** Why a signature is not for a request of its own; absent: it always is. */
  findSendIssue?(payload: Payload): Issue | undefined;

  /** Whether requests carry the MAC of a passphrase; absent: they don't. */
  takesPassphrase?(rule: z.output<Schema>): boolean;

  /**
   * Builds the bytes to sign from data without members that look signed and are not, or names the
   * offending field.
   *
   * @throws Error for a missing fixed value, which a validated configuration rules out
   */
  build(data: JsonObject, rule: z.output<Schema>, context: PayloadContext): Payload;

  /** What policies read under these options. */
  reader(rule: z.output<Schema>): SignedReader;

  /** Conflicts of the options with each other and with the platform's algorithms; absent: none. */
  issues?(
    rule: z.output<Schema> & { readonly encoding?: SignatureEncoding },
    algorithms: readonly Algorithm[],
  ): readonly RuleIssue[];
}

/** What policies read of a rule whose options don't change it. */
export function readAs(
  fields: SignedFields,
  read: SignedReader['read'],
): { readonly fields: SignedFields; readonly reader: () => SignedReader } {
  return { fields, reader: () => ({ fields, read }) };
}
