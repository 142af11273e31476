import { z } from 'zod';
import { presetPlatformSchema } from '../../domain/configuration/platform-schema.ts';
import { ALGORITHMS } from '../../domain/model/algorithm.ts';
import { fixedValuesSchema } from '../../domain/model/configured-account.ts';
import type { JsonObject } from '../../domain/model/json.ts';

/**
 * Groups of requests, the most frequent first. None moves assets out of the account or to another
 * one, or grants access to it.
 *
 * - `orders`: orders, amendments, cancels
 * - `tradingReads`, `reads`: change nothing; the first are those that trading needs
 * - `sessions`: logins and tokens of sessions that can withdraw nothing
 * - `settings`: leverage, position and margin modes
 * - `positions`: margin of positions
 * - `borrow`: borrow and repay
 * - `convert`: exchange of own assets outside the order book
 * - `earn`: subscribe and redeem products for own assets
 */
export const REQUEST_GROUPS = [
  'orders',
  'tradingReads',
  'sessions',
  'reads',
  'settings',
  'positions',
  'borrow',
  'convert',
  'earn',
] as const;

/** See {@link REQUEST_GROUPS}. */
export type RequestGroup = (typeof REQUEST_GROUPS)[number];

/** What a request of a venue does, for tests of policies. */
const REQUEST_KINDS = [
  ...['order', 'cancel', 'session', 'read', 'leverage', 'borrow', 'convert', 'earn'],
  ...['withdraw', 'transfer', 'subAccount', 'keyManagement'],
] as const;

const text = z.string().min(1, 'must not be empty');
const link = z.string().regex(/^https:\/\/\S+$/, 'must be an https URL');
const texts = z.array(text).min(1, 'must not be empty');
const notes = z.array(text).describe('For callers and operators, one sentence or a few each.');
const pattern = text
  .refine(isPattern, 'must be a regular expression of JavaScript with flag u')
  .optional()
  .describe(
    'What the venue takes for a text of this rule, read as widely as its documentation allows, where one key signs by several rules. Bytes are in the form of payload in a response; of a token, the claims.',
  );
const example = text.describe('The id of the vector that explains the rule.');
const ruleName = text.describe('Named rule of the preset. Default: its default rule.');
const data = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'must be an object',
});
const dataOfOptions = data
  .meta({ type: 'object' })
  .describe('Of the client; {apiKey} and the like stand for test keys.');
const dataOfRequest = data.meta({ type: 'object' }).describe('The field data of the signing request.');

const publishedKey = z.union(
  [
    z.strictObject({ text: text.describe('An HMAC secret as the venue issues it.') }),
    z.strictObject({ hex: text.describe('An Ed25519 seed, or a key of secp256k1, P-256 or StarkNet: 32 bytes.') }),
    z.strictObject({ pem: text.describe('PKCS#8 of Ed25519 or RSA, or SEC1 of P-256.') }),
  ],
  'must be exactly one of {"text": …}, {"hex": …} and {"pem": …}',
);

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** A published key as published with what it signed; no secret. */
export type PublishedKey = z.output<typeof publishedKey>;

const vectorSchema = z
  .strictObject({
    id: text,
    source: z.strictObject({
      kind: z
        .string()
        .regex(/^(?:official|community|computed) /, 'must start with official, community or computed')
        .describe('official …: published by the venue. community …: only by others. computed …: by whom or what.'),
      url: link,
      package: text.optional().describe('Client and version that computed it.'),
      function: text.optional().describe('Its function.'),
      path: text.optional().describe('Its file.'),
      license: text.optional(),
      note: text.optional(),
    }),
    rule: ruleName.optional(),
    algorithm: z.enum(ALGORITHMS),
    key: z.union(
      [...publishedKey.options, z.strictObject({ ref: text.describe('Name in keys.') })],
      'must be exactly one of {"text": …}, {"hex": …}, {"pem": …} and {"ref": …}',
    ),
    values: fixedValuesSchema.optional().describe("The account's fixed values."),
    data: dataOfRequest,
    payload: z.string().optional().describe('The signed text.'),
    payloadHex: z.string().optional().describe('The signed bytes, where they are no text.'),
    signature: text,
    parts: data.meta({ type: 'object' }).optional().describe('Signed parts that POST /sign must return.'),
  })
  .refine((vector) => (vector.payload === undefined) !== (vector.payloadHex === undefined), {
    path: ['payload'],
    message: 'must be there, or payloadHex, but not both',
  })
  .describe('A signature: published, or computed with another client.');

const clientSchema = z.strictObject({
  exchange: text.optional().describe('Its name of the venue. Default: the name of the preset.'),
  options: dataOfOptions.optional(),
  calls: z
    .array(
      z.strictObject({
        kind: text.describe('order, or what is special about the request.'),
        rule: ruleName.optional(),
        call: z.array(z.unknown()).min(1, 'must not be empty').describe('A function and its arguments.'),
        unsent: dataOfRequest.optional().describe('Members of data that it signs and does not send.'),
      }),
    )
    .optional()
    .describe('Calls that sign a request.'),
  expected: z
    .array(
      z.strictObject({
        rule: ruleName.optional(),
        kinds: texts,
        result: text.describe('As the check prints it.'),
        reason: text.describe('Why the preset is right, or what it lacks.'),
      }),
    )
    .optional()
    .describe('Results other than the same request, investigated.'),
});

const presetSchema = z.strictObject({
  venue: text.describe('Venue and interface, for people.'),
  docs: link.describe("The venue's documentation of signing."),
  platform: presetPlatformSchema,
  keyFile: text.describe("Content of an account's key file."),
  keyFormat: z
    .enum(['base58', 'base64'])
    .optional()
    .describe('Format of that file. Default: account add detects it, or secretDecoding decides.'),
  values: z
    .record(z.string(), text)
    .optional()
    .describe('Fixed values that each account needs for any of the rules, with descriptions.'),
  notes,
  rules: z
    .record(z.string(), z.strictObject({ venue: text, docs: link, notes, texts: pattern, example }))
    .optional()
    .describe("Explains each of the platform's named rules."),
  texts: pattern,
  example,
  requests: z
    .record(z.string(), z.strictObject({ rule: ruleName.optional(), data: dataOfRequest }))
    .optional()
    .describe("Calls by name, such as order, which the venue's page shows."),
  vectors: z.array(vectorSchema).min(1, 'must not be empty'),
  policyRequests: z
    .array(
      z.strictObject({
        kind: z.enum(REQUEST_KINDS),
        name: text,
        source: link.describe('Where the venue, or a client for it, documents the request.'),
        rule: ruleName.optional(),
        data: dataOfRequest,
      }),
    )
    .optional()
    .describe('Requests on which the ready-made policies are tried.'),
  notInApi: z
    .array(z.enum(REQUEST_KINDS))
    .optional()
    .describe("Kinds of requests that the venue's API does not have, at least not under this signature."),
  clients: z
    .record(z.string(), clientSchema)
    .optional()
    .describe('Public clients, by package, with which scripts/sdk-parity compares whole requests.'),
});

const request = z
  .string()
  .regex(/^(?:(?:[A-Z]+ )?\/[^\s"\\]*|[A-Za-z][\w.:-]*|\*)$/, 'must be METHOD /path, /path, a name or *');
const requestList = z.array(request).min(1, 'must not be empty');

const ruleRequests = z
  .strictObject({
    rules: texts.describe('default, or named rules.'),
    field: text.optional().describe('The signed field that names a request. Default: method and path, or the path.'),
    parameters: texts.optional().describe('Query parameters, where nothing separates the query from the path.'),
    ...(Object.fromEntries(REQUEST_GROUPS.map((group) => [group, requestList.optional()])) as {
      readonly [Group in RequestGroup]: z.ZodOptional<typeof requestList>;
    }),
  })
  .describe(
    'METHOD /path, /path where the method is not signed, or the name of an instruction or action; {id} in a path stands for one segment. * alone: everything that these rules can sign.',
  );

/** What a venue's accounts may sign by some of the preset's rules. */
export type RuleRequests = z.output<typeof ruleRequests>;

const venueFileSchema = z.strictObject({
  $schema: z.string().optional().describe('Location of this schema, for editors.'),
  venue: text,
  keys: z.record(z.string(), publishedKey).optional().describe('Published test keys to which vectors refer.'),
  presets: z.record(
    z.string().regex(/^[a-z][a-z0-9-]*$/, 'contains an invalid name; a name has lowercase letters, digits or -'),
    presetSchema,
    'contains an invalid name; a name has lowercase letters, digits or -',
  ),
  policies: z
    .array(
      z.strictObject({
        presets: texts.describe('The presets that sign so.'),
        docs: z.array(link).describe('Where the venue documents its requests.'),
        requests: z.array(ruleRequests).describe('A request in no list is unknown, also one that the venue adds.'),
      }),
    )
    .optional(),
});

/** A signature for a preset: published, or computed with another client (`source.kind`). */
export type VenueVector = Omit<z.output<typeof vectorSchema>, 'key'> & { readonly key: PublishedKey };

/** What explains a rule. */
export interface RuleExplanation {
  /** Venue and interface, for people. */
  readonly venue: string;
  /** The venue's documentation of signing. */
  readonly docs: string;
  /** For callers and operators, one sentence or a few each. */
  readonly notes: readonly string[];
  /** Pattern (flag `u`) of what the venue takes for a text of the rule; absent: not needed. */
  readonly texts?: string | undefined;
  /** One of the vectors. */
  readonly example: VenueVector;
}

/** Requests of a venue whose signature says what a request does. */
export type VenueRequests = NonNullable<z.output<typeof venueFileSchema>['policies']>[number];

/** A venue's signing options: a platform without its id, explained, with signatures. */
export interface VenuePreset
  extends RuleExplanation,
    Omit<z.output<typeof presetSchema>, keyof RuleExplanation | 'rules' | 'vectors'> {
  readonly name: string;
  /** By the names of the platform's named rules. */
  readonly rules?: { readonly [name: string]: RuleExplanation };
  readonly vectors: readonly VenueVector[];
  /** Absent where a signature does not say what it does. */
  readonly policies?: VenueRequests;
}

/** A file of a venue, complete: its presets in their order, with all that they refer to. */
export const venueSchema = venueFileSchema.transform(({ venue, keys = {}, presets, policies = [] }, context) => {
  const miss = (path: readonly PropertyKey[], message: string): never => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  const toPreset = ([name, preset]: (typeof entries)[number]): VenuePreset => {
    const root = ['presets', name];
    const vectors = preset.vectors.map((vector, index): VenueVector => {
      const { key } = vector;
      if (!('ref' in key)) return { ...vector, key };
      return { ...vector, key: keys[key.ref] ?? miss([...root, 'vectors', index, 'key', 'ref'], 'is not in keys') };
    });
    const findExample = (id: string, path: readonly PropertyKey[]) =>
      vectors.find((vector) => vector.id === id) ?? miss([...root, ...path, 'example'], 'is the id of no vector');
    const explained = Object.entries(preset.rules ?? {}).map(
      ([rule, text]) => [rule, { ...text, example: findExample(text.example, ['rules', rule]) }] as const,
    );
    const known = ['default', ...Object.keys(preset.platform.rules ?? {})];
    const named = [
      ...preset.vectors.map(({ rule }, index) => ({ rule, path: ['vectors', index] })),
      ...(preset.policyRequests ?? []).map(({ rule }, index) => ({ rule, path: ['policyRequests', index] })),
      ...Object.entries(preset.requests ?? {}).map(([call, { rule }]) => ({ rule, path: ['requests', call] })),
      ...Object.keys(preset.rules ?? {}).map((rule) => ({ rule, path: ['rules', rule] })),
    ];
    for (const { rule = 'default', path } of named) {
      if (!known.includes(rule)) miss([...root, ...path], 'names a rule that the platform does not have');
    }
    const ofPreset = policies.find(({ presets }) => presets.includes(name));
    const ruleOfPolicies = ofPreset?.requests.flatMap(({ rules }) => rules).find((rule) => !known.includes(rule));
    if (ruleOfPolicies !== undefined) miss([...root], `has no rule ${ruleOfPolicies}, which policies name`);
    return {
      name,
      ...preset,
      vectors,
      example: findExample(preset.example, []),
      ...(preset.rules === undefined ? {} : { rules: Object.fromEntries(explained) }),
      ...(ofPreset === undefined ? {} : { policies: ofPreset }),
    } as VenuePreset;
  };
  const entries = Object.entries(presets);
  for (const [index, name] of policies.flatMap((one, at) => one.presets.map((preset) => [at, preset] as const))) {
    const isOnce = policies.filter((one) => one.presets.includes(name)).length === 1;
    if (!Object.hasOwn(presets, name) || !isOnce)
      miss(['policies', index], `must name each preset once, and none but those of the file: ${name}`);
  }
  return { venue, presets: entries.map(toPreset) };
});

/** See {@link venueSchema}. */
export interface Venue extends z.output<typeof venueSchema> {
  /** Name of its file, without extension. */
  readonly id: string;
}

/** JSON Schema (draft 2020-12) of a venue's file, published as `config/venue.schema.json`. */
export function venueJsonSchema(): object {
  const options = { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' } as const;
  const { $schema, ...schema } = z.toJSONSchema(venueFileSchema, options);
  return { $schema, title: 'A venue of the signing service', ...schema };
}
