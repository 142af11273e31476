import type { JsonObject, JsonValue } from '../../domain/model/json.ts';
import { accepted, type Outcome, type Refused, refused } from '../../domain/model/outcome.ts';
import type { StarknetTypedData } from '../../domain/model/payload.ts';
import type { Issue } from '../../domain/model/refusal.ts';
import { isJsonObject, type JsonStep, jsonPath, ownMember } from '../../domain/model/text/json-path.ts';
import { invalid } from '../../domain/payload/payload-outcome.ts';
import {
  DOMAIN_FIELDS_OF_REVISION_1,
  getStarknetDomainFields,
  isStarknetDomainMember,
  STARKNET_DOMAIN_TYPES,
} from '../../domain/payload/starknet.ts';
import type { StarknetTypedDataEncoder } from '../../ports/starknet-typed-data-encoder.ts';
import { HASH_OF_REVISION, MESSAGE_PREFIX, starknetKeccak } from './starknet-hashes.ts';
import { encodeStarknetType, getBasicType, readStarknetTypes } from './starknet-types.ts';
import { type FieldType, findNestingIssue, type StructTypes } from './typed-data-structs.ts';

const FELT_BYTES = 32;

interface NestedIssue {
  readonly message: string;
  /** From the inspected value down to the invalid one. */
  readonly steps: readonly JsonStep[];
}

type Encoded = Outcome<bigint, NestedIssue>;

/**
 * SNIP-12 by the hash functions of @scure/starknet. Enums, Merkle trees and types that the message
 * does not use are refused.
 */
export class ScureStarknetTypedDataEncoder implements StarknetTypedDataEncoder {
  encode(typedData: StarknetTypedData, account: bigint): Outcome<Uint8Array, Issue> {
    const structs = readStarknetTypes(typedData);
    if (!structs.ok) return structs;
    const issue = findNestingIssue(structs.value, typedData.primaryType) ?? findDomainIssue(typedData);
    if (issue !== undefined) return refused(issue);
    const { revision, primaryType } = typedData;
    const domain = new StructEncoder(revision, structs.value).hash(typedData.domain, STARKNET_DOMAIN_TYPES[revision]);
    if (!domain.ok) return toIssue('data.domain', domain);
    const message = new StructEncoder(revision, structs.value).hash(typedData.message, primaryType);
    if (!message.ok) return toIssue('data.message', message);
    return accepted(
      Buffer.concat([
        Buffer.of(revision),
        ...[MESSAGE_PREFIX, domain.value, account, message.value].map((felt) =>
          Buffer.from(felt.toString(16).padStart(2 * FELT_BYTES, '0'), 'hex'),
        ),
      ]),
    );
  }
}

function toIssue(root: string, { refusal }: Refused<NestedIssue>): Refused<Issue> {
  return invalid(jsonPath(root, refusal.steps), refusal.message);
}

/**
 * The domain's type: of felts that a domain may have in revision 0, in any order, as venues
 * declare; exactly SNIP-12's in revision 1.
 */
function findDomainIssue(typedData: StarknetTypedData): Issue | undefined {
  const fields = getStarknetDomainFields(typedData);
  const path = jsonPath('data', ['types', STARKNET_DOMAIN_TYPES[typedData.revision]]);
  if (typedData.revision === 0) {
    if (fields.every(({ name, type }) => isStarknetDomainMember(name) && isFeltName(type))) return undefined;
    return { path, message: 'must only have the felts name, version, chainId (or chain_id) and revision' };
  }
  const names = DOMAIN_FIELDS_OF_REVISION_1.map(({ name }) => name);
  const isStandard =
    fields.length === names.length &&
    fields.every(({ name, type }, index) => name === names[index] && type === 'shortstring');
  return isStandard ? undefined : { path, message: `must list ${names.join(', ')}, each a shortstring, in this order` };
}

function isFeltName(type: string): boolean {
  return type === 'felt' || type === 'string';
}

/** Hashes one value by its type, within the limit of the revision. */
class StructEncoder {
  readonly #revision: 0 | 1;
  readonly #structs: StructTypes;
  readonly #typeHashes = new Map<string, bigint>();
  #operations = 0;

  constructor(revision: 0 | 1, structs: StructTypes) {
    this.#revision = revision;
    this.#structs = structs;
  }

  /** `hash_array(type_hash, Enc[param1], …)` */
  hash(value: JsonValue, type: string): Encoded {
    if (!isJsonObject(value)) return issueHere('must be an object');
    const fields = this.#structs.get(type) ?? [];
    const named = new Set(fields.map(({ name }) => name));
    const unknown = Object.keys(value).find((name) => !named.has(name));
    if (unknown !== undefined) return nestIssue(unknown, issueHere('is not a member of its type'));
    const excess = this.#spend(1 + fields.length);
    if (excess !== undefined) return excess;
    const felts = [this.#hashType(type)];
    for (const field of fields) {
      const encoded = this.#encodeMember(value, field.name, field.type);
      if (!encoded.ok) return nestIssue(field.name, encoded);
      felts.push(encoded.value);
    }
    return accepted(HASH_OF_REVISION[this.#revision].hash(felts));
  }

  /** Counts the operations of a hash before any of it is computed. */
  #spend(felts: number): Refused<NestedIssue> | undefined {
    const { countOperations, maxOperations } = HASH_OF_REVISION[this.#revision];
    this.#operations += countOperations(felts);
    if (this.#operations <= maxOperations) return undefined;
    return issueHere(`exceeds the limit of ${maxOperations} hash operations in a message of this revision`);
  }

  #hashType(type: string): bigint {
    const hash = this.#typeHashes.get(type) ?? starknetKeccak(encodeStarknetType(this.#revision, this.#structs, type));
    this.#typeHashes.set(type, hash);
    return hash;
  }

  #encodeMember(struct: JsonObject, name: string, type: FieldType): Encoded {
    const member = ownMember(struct, name);
    return member === undefined ? issueHere('is missing; its type requires it') : this.#encode(member, type);
  }

  #encode(value: JsonValue, { base, lengths }: FieldType): Encoded {
    if (lengths.length > 0) return this.#encodeArray(value, { base, lengths: lengths.slice(1) });
    const basic = getBasicType(this.#revision, base);
    if (basic === undefined) return this.hash(value, base);
    const encoded = basic.encode(value);
    if (encoded === undefined) return issueHere(basic.requirement);
    if (typeof encoded === 'bigint') return accepted(encoded);
    return this.#spend(encoded.length) ?? accepted(HASH_OF_REVISION[this.#revision].hash(encoded));
  }

  #encodeArray(value: JsonValue, type: FieldType): Encoded {
    if (!Array.isArray(value)) return issueHere('must be an array');
    const excess = this.#spend(value.length);
    if (excess !== undefined) return excess;
    const felts: bigint[] = [];
    for (const [index, element] of value.entries()) {
      const encoded = this.#encode(element, type);
      if (!encoded.ok) return nestIssue(index, encoded);
      felts.push(encoded.value);
    }
    return accepted(HASH_OF_REVISION[this.#revision].hash(felts));
  }
}

function issueHere(message: string): Refused<NestedIssue> {
  return refused({ message, steps: [] });
}

function nestIssue(step: JsonStep, { refusal }: Refused<NestedIssue>): Refused<NestedIssue> {
  return refused({ message: refusal.message, steps: [step, ...refusal.steps] });
}
