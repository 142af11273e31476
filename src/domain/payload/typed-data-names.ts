/** Identifiers, and the colon that stands in names such as `HyperliquidTransaction:UsdSend`. */
const STRUCT_NAME = /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$:]*$/;

const MEMBER_NAME = /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Also `uint`, `uint7` and `bytes33`, which readers could take for what they are not. */
const RESERVED_NAME = /^(?:address|bool|string|bytes\d*|u?int\d*|EIP712Domain)$/;

/**
 * Whether a struct type may have this name, so that the text which is hashed for it (`Order(uint256 price,Item[] items)Item(…)`) can be read in one way
 * only: an identifier, or several joined by colons, that is no name of EIP-712's own.
 */
export function isStructName(name: string): boolean {
  return STRUCT_NAME.test(name) && !RESERVED_NAME.test(name);
}

/** Whether a member of a struct may have this name: an identifier. */
export function isMemberName(name: string): boolean {
  return MEMBER_NAME.test(name);
}
