import { isJsonObject, type JsonObject, type JsonStep, type JsonValue, jsonPath, ownMember } from '../../model/json.ts';
import type { SignedValue, TypedData, TypedDataField, TypedDataTypes } from '../../model/payload.ts';
import { fieldMessage, invalid, type PayloadTools } from '../payload-outcome.ts';

/** Length of an array: null for any; `tree`: the leaves of a Merkle tree, at least one. */
type ArrayLength = number | null | 'tree';

/** A parsed type: `Order[2][]` is a dynamic array of arrays of two Orders. */
export interface FieldType {
  readonly base: string;
  /** From innermost to outermost: `[2, null]`. */
  readonly lengths: readonly ArrayLength[];
}

/** A member of a struct type, with its type as written and parsed. */
export type StructField = TypedDataField & FieldType;

/** Struct types by name. */
export type StructTypes = ReadonlyMap<string, readonly StructField[]>;

/** What policies read of a value, by name of the view; nothing in a view that does not show it. */
export type Views = { readonly [view: string]: SignedValue | undefined };

/** A type of values that are not made of others. */
export interface LeafType<Word> {
  /** Description of valid values, for messages. */
  readonly requirement: string;
  /** What is hashed of a value, a list to one word; undefined if it is invalid. */
  readonly encode: (
    value: JsonValue,
    tools: PayloadTools,
  ) => { readonly content: Word | readonly Word[]; readonly views: Views } | undefined;
}

/** A standard of typed data, which hashes words: 32 bytes each, or field elements. */
export interface TypedDataScheme<Word> {
  readonly leaves: ReadonlyMap<string, LeafType<Word>>;
  /** Struct types that the standard defines. */
  readonly presets: TypedDataTypes;
  readonly views: readonly string[];
  /** Total characters of names and types: each type hashes the texts of those that it refers to. */
  readonly maxTypeText: number;
  readonly memberName: RegExp;
  /** What {@link memberName} requires, for messages. */
  readonly memberNameRule: string;
  /** What the type of a member must be, for messages. */
  readonly typeRule: string;
  /** What is wrong with the name of a declared struct type. */
  findNameIssue(name: string): string | undefined;
  /** Parses the type of a member; a message for one that is not supported. */
  parseType(field: TypedDataField): FieldType | string;
  /** A struct type as in the text that is hashed. */
  describe(name: string, fields: readonly StructField[]): string;
  hashText(text: string, tools: PayloadTools): Word;
  hash(words: readonly Word[], tools: PayloadTools, length?: ArrayLength): Word;
  /**
   * Starts to count the values of a domain or message: each costs a hash and blocks the event loop.
   * The result takes each value before it is hashed, with the words to hash for it, if any, and
   * returns a message once there are too many.
   */
  startLimit(): (value: JsonValue, words?: number, length?: ArrayLength) => string | undefined;
}

/** Refuses the value at these steps of `data`: see {@link invalid}. */
export function fail(steps: readonly JsonStep[], message: string): never {
  invalid(jsonPath('data', steps), message);
}

/** Type of SNIP-12 whose fields have a third member, `contains`. */
export const MERKLE_TREE = 'merkletree';

const MEMBERS = ['domain', 'types', 'primaryType', 'message'];

/**
 * Reads `{domain, types, primaryType, message}`, the form of eth_signTypedData_v4 and starknet.js;
 * {@link fail} for other members and forms. Types and values are checked when they are resolved and
 * encoded.
 *
 * @param standard name of what defines the domain, for messages
 * @param remark ends the message about a field of another form
 */
export function readTypedData(data: JsonObject, standard: string, remark = ''): TypedData {
  const unknown = Object.keys(data).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    fail([unknown], 'is not a field of typed data; the fields are domain, types, primaryType and message');
  }
  const domain = readObject(data, 'domain', `must be an object: the ${standard}`);
  const primaryType = ownMember(data, 'primaryType');
  if (typeof primaryType !== 'string') {
    fail(['primaryType'], fieldMessage(primaryType, 'must be a string: the type of the message'));
  }
  const message = readObject(data, 'message', 'must be an object');
  const given = readObject(data, 'types', 'must be an object that lists the fields of each struct type');
  const types = Object.entries(given).map(([name, fields]) => {
    if (!Array.isArray(fields)) fail(['types', name], 'must be an array of fields');
    return [name, fields.map((field, index) => readField(field, ['types', name, index], remark))] as const;
  });
  return { domain, types: Object.fromEntries(types), primaryType, message };
}

function readObject(data: JsonObject, name: string, wanted: string): JsonObject {
  const value = ownMember(data, name);
  return isJsonObject(value) ? value : fail([name], fieldMessage(value, wanted));
}

/** `contains` is a member of Merkle trees only, where the standard has them. */
function readField(field: JsonValue, steps: readonly JsonStep[], remark: string): TypedDataField {
  const members = isJsonObject(field) ? field : {};
  const { name, type, contains } = members;
  const names = remark !== '' && type === MERKLE_TREE ? ['name', 'type', 'contains'] : ['name', 'type'];
  const other = Object.keys(members).find((member) => !names.includes(member));
  if (other !== undefined) {
    fail([...steps, other], `must be absent: a field has only the members name and type${remark}`);
  }
  const isComplete = typeof name === 'string' && typeof type === 'string';
  if (!isComplete || (contains !== undefined && typeof contains !== 'string')) {
    fail(steps, `must be an object with exactly two strings, name and type${remark}`);
  }
  return members as unknown as TypedDataField;
}

/** Whether two lists have the same names and types, in the same order. */
export function isSameList(left: readonly TypedDataField[], right: readonly TypedDataField[]): boolean {
  const [one, other] = [left, right].map((fields) => JSON.stringify(fields.map(({ name, type }) => [name, type])));
  return one === other;
}

/**
 * {@link fail} for the first member of a domain that differs from the configured one. Members that
 * are not configured are free.
 */
export function checkPinnedDomain(
  domain: JsonObject,
  pinned: JsonObject,
  isSame: (name: string, pinned: JsonValue, given: JsonValue) => boolean,
): void {
  for (const [name, value] of Object.entries(pinned)) {
    const given = ownMember(domain, name);
    if (given !== undefined && isSame(name, value, given)) continue;
    fail(['domain', name], "must match the domain in the platform's configuration");
  }
}

/**
 * Reads the struct types of these names and those that they refer to; {@link fail} for names that
 * would make the hashed text of a type ambiguous, and for unknown types.
 */
export function resolveTypes<Word>(
  scheme: TypedDataScheme<Word>,
  types: TypedDataTypes,
  names: readonly string[],
): StructTypes {
  const known: TypedDataTypes = { ...types, ...scheme.presets };
  const structs = new Map<string, readonly StructField[]>();
  const queue = [...names];
  let length = 0;
  for (const struct of queue) {
    if (structs.has(struct)) continue;
    const declared = known[struct] ?? [];
    length += declared.reduce((sum, { name, type }) => sum + name.length + type.length, struct.length);
    if (length > scheme.maxTypeText) {
      fail(['types'], `must not exceed ${scheme.maxTypeText} characters of names and types in total`);
    }
    const issue = Object.hasOwn(types, struct) ? scheme.findNameIssue(struct) : undefined;
    if (issue !== undefined) fail(['types', struct], issue);
    const fields = new Map<string, StructField>();
    for (const [index, field] of declared.entries()) {
      const steps = ['types', struct, index];
      if (!scheme.memberName.test(field.name)) fail([...steps, 'name'], scheme.memberNameRule);
      if (fields.has(field.name)) fail([...steps, 'name'], 'must be unique within its type');
      const type = scheme.parseType(field);
      if (typeof type === 'string') fail([...steps, 'type'], type);
      const isLeaf = scheme.leaves.has(type.base);
      if (!isLeaf && !Object.hasOwn(known, type.base)) fail([...steps, 'type'], scheme.typeRule);
      if (!isLeaf) queue.push(type.base);
      fields.set(field.name, { ...field, ...type });
    }
    structs.set(struct, [...fields.values()]);
  }
  return structs;
}

/**
 * Limit of structs when types are expanded at each use, as encoders do: a few dozen interwoven
 * types would never terminate.
 */
const MAX_STRUCTS = 64;

/** {@link fail} for circular types below the primary type, and for too many nested ones. */
export function checkNesting(structs: StructTypes, primaryType: string): void {
  let count = 0;
  const visit = (path: readonly string[]) => {
    count += 1;
    if (count > MAX_STRUCTS) {
      fail(['types'], `must not nest more than ${MAX_STRUCTS} structs, counting a type each time it is used`);
    }
    const name = path.at(-1) ?? '';
    const children = new Set<string>();
    for (const [index, { base }] of (structs.get(name) ?? []).entries()) {
      if (!structs.has(base) || children.has(base)) continue;
      children.add(base);
      if (path.includes(base)) {
        const message = 'must not refer back to an enclosing type: circular types cannot be encoded';
        fail(['types', name, index, 'type'], message);
      }
      visit([...path, base]);
    }
  };
  visit([primaryType]);
}

/** A valid value: the word that it is hashed to, and what policies read of it. */
interface EncodedValue<Word> {
  readonly word: Word;
  readonly views: Views;
}

/**
 * Checks and hashes a value of a struct type; {@link fail} for undeclared and missing members, for
 * invalid values, and beyond the limit of the scheme. Parents before children, in the type's order.
 *
 * @param root member of `data` with the value
 */
export function encodeStruct<Word>(
  scheme: TypedDataScheme<Word>,
  structs: StructTypes,
  tools: PayloadTools,
  root: 'domain' | 'message',
  value: JsonObject,
  type: string,
): EncodedValue<Word> {
  return new ValueEncoder(scheme, structs, tools).encode(value, { base: type, lengths: [] }, [root]);
}

class ValueEncoder<Word> {
  readonly #scheme: TypedDataScheme<Word>;
  readonly #structs: StructTypes;
  readonly #tools: PayloadTools;
  readonly #count: ReturnType<TypedDataScheme<Word>['startLimit']>;
  readonly #typeHashes = new Map<string, Word>();

  constructor(scheme: TypedDataScheme<Word>, structs: StructTypes, tools: PayloadTools) {
    this.#scheme = scheme;
    this.#structs = structs;
    this.#tools = tools;
    this.#count = scheme.startLimit();
  }

  encode(value: JsonValue, type: FieldType, steps: readonly JsonStep[]): EncodedValue<Word> {
    if (type.lengths.length > 0) return this.#encodeArray(value, type, steps);
    const leaf = this.#scheme.leaves.get(type.base);
    if (leaf === undefined) return this.#encodeStruct(value, type.base, steps);
    const { content, views } = leaf.encode(value, this.#tools) ?? fail(steps, leaf.requirement);
    if (!Array.isArray(content)) {
      this.#spend(steps, value);
      return { word: content as Word, views };
    }
    this.#spend(steps, value, content.length);
    return { word: this.#scheme.hash(content, this.#tools), views };
  }

  #encodeArray(value: JsonValue, { base, lengths }: FieldType, steps: readonly JsonStep[]): EncodedValue<Word> {
    const length = lengths.at(-1) ?? null;
    if (!Array.isArray(value)) fail(steps, 'must be an array');
    if (typeof length === 'number' && value.length !== length) fail(steps, `must be an array of ${length} elements`);
    if (length === 'tree' && value.length === 0) fail(steps, 'must be an array of at least one element');
    this.#spend(steps, value, value.length, length);
    const element = { base, lengths: lengths.slice(0, -1) };
    const items = value.map((item: JsonValue, index) => this.encode(item, element, [...steps, index]));
    const words = items.map(({ word }) => word);
    return {
      word: this.#scheme.hash(words, this.#tools, length),
      views: this.#view((view) => {
        const shown = items.map(({ views }) => views[view]);
        // Without gaps, which would change positions.
        return shown.includes(undefined) ? undefined : (shown as readonly SignedValue[]);
      }),
    };
  }

  #encodeStruct(value: JsonValue, type: string, steps: readonly JsonStep[]): EncodedValue<Word> {
    if (!isJsonObject(value)) fail(steps, 'must be an object');
    const fields = this.#structs.get(type) ?? [];
    const names = new Set(fields.map(({ name }) => name));
    const unknown = Object.keys(value).find((name) => !names.has(name));
    if (unknown !== undefined) fail([...steps, unknown], 'is not a member of its type');
    this.#spend(steps, value, 1 + fields.length);
    const members = fields.map((field): [string, EncodedValue<Word>] => {
      const memberSteps = [...steps, field.name];
      const member = ownMember(value, field.name);
      if (member === undefined) fail(memberSteps, 'is missing; its type requires it');
      return [field.name, this.encode(member, field, memberSteps)];
    });
    const words = members.map(([, { word }]) => word);
    return {
      word: this.#scheme.hash([this.#hashType(type), ...words], this.#tools),
      views: this.#view((view) => {
        const shown = members.map(([name, { views }]) => [name, views[view]] as const);
        return new Map(shown.filter((entry): entry is [string, SignedValue] => entry[1] !== undefined));
      }),
    };
  }

  #view(show: (view: string) => SignedValue | undefined): Views {
    return Object.fromEntries(this.#scheme.views.map((view) => [view, show(view)]));
  }

  #spend(steps: readonly JsonStep[], ...spent: Parameters<ReturnType<TypedDataScheme<Word>['startLimit']>>): void {
    const message = this.#count(...spent);
    if (message !== undefined) fail(steps, message);
  }

  /** Of the type, then of those that it refers to, sorted by name; not of the leaves of a tree. */
  #hashType(type: string): Word {
    const known = this.#typeHashes.get(type);
    if (known !== undefined) return known;
    const found = new Set([type]);
    for (const struct of found) {
      for (const { base, lengths } of this.#structs.get(struct) ?? []) {
        if (this.#structs.has(base) && !lengths.includes('tree')) found.add(base);
      }
    }
    const [, ...others] = found;
    const texts = [type, ...others.sort()].map((name) => this.#scheme.describe(name, this.#structs.get(name) ?? []));
    const hash = this.#scheme.hashText(texts.join(''), this.#tools);
    this.#typeHashes.set(type, hash);
    return hash;
  }
}
