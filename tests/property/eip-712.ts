import { keccak256 } from 'ethers';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { TypedData, TypedDataTypes } from '../../src/domain/model/payload.ts';

/** An independent implementation of EIP-712, from its text, for comparison. */

const DOMAIN_TYPES: { readonly [name: string]: string } = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
};

/** 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message), in hex. */
export function eip712({ domain, types, primaryType, message }: TypedData): string {
  const fields = Object.entries(DOMAIN_TYPES).filter(([name]) => name in domain);
  const domainTypes = { EIP712Domain: fields.map(([name, type]) => ({ name, type })) };
  return Buffer.concat([
    Buffer.of(0x19, 0x01),
    hashStruct('EIP712Domain', domain, domainTypes),
    hashStruct(primaryType, message, types),
  ]).toString('hex');
}

function hashStruct(type: string, value: JsonObject, types: TypedDataTypes): Buffer {
  const members = (types[type] ?? []).map((field) => encodeValue(field.type, value[field.name] ?? null, types));
  return hash(Buffer.concat([hash(Buffer.from(encodeType(type, types))), ...members]));
}

/** The primary type, then its references sorted by name. */
function encodeType(type: string, types: TypedDataTypes): string {
  const needed = new Set([type]);
  for (const name of needed) {
    for (const field of types[name] ?? []) {
      const base = field.type.replace(/\[.*$/, '');
      if (base in types) needed.add(base);
    }
  }
  needed.delete(type);
  return [type, ...[...needed].sort()]
    .map((name) => `${name}(${(types[name] ?? []).map((field) => `${field.type} ${field.name}`).join(',')})`)
    .join('');
}

function encodeValue(type: string, value: JsonValue, types: TypedDataTypes): Buffer {
  if (type.endsWith(']')) {
    const element = type.replace(/\[\d*\]$/, '');
    return hash(Buffer.concat((value as JsonValue[]).map((item) => encodeValue(element, item, types))));
  }
  if (type in types) return hashStruct(type, value as JsonObject, types);
  if (type === 'string') return hash(Buffer.from(String(value)));
  if (type === 'bytes') return hash(Buffer.from(String(value).slice(2), 'hex'));
  if (type.startsWith('bytes')) return Buffer.from(String(value).slice(2).padEnd(64, '0'), 'hex');
  const number = typeof value === 'boolean' ? BigInt(value) : BigInt(value as string);
  return Buffer.from(BigInt.asUintN(256, number).toString(16).padStart(64, '0'), 'hex');
}

function hash(bytes: Buffer): Buffer {
  return Buffer.from(keccak256(bytes).slice(2), 'hex');
}
