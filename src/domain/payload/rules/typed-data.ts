import { z } from 'zod';
import { isExchangeDomain, MULTI_SIG_TYPE } from '../hyperliquid-agent.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { eip712Domain } from '../rule-options.ts';
import { DOMAIN_TYPE, encodeTypedData, getDomainFields, isSameMember } from '../typed-data/eip712.ts';
import { checkPinnedDomain, fail, isSameList, readTypedData } from '../typed-data/walker.ts';

const schema = z.strictObject({
  rule: z.literal('typed-data'),
  domain: eip712Domain
    .exactOptional()
    .describe(
      'Required members of the domain of every message, with their values (chainId in any form, addresses in any case). Default: any domain.',
    ),
});

/**
 * Rule `typed-data`: EIP-712 typed data in the form of eth_signTypedData_v4; the bytes are 0x19
 * 0x01 ‖ domainSeparator ‖ hashStruct(message), 66 of them. Only the configured domain is signed,
 * if there is one, and never that of Hyperliquid's L1 actions, which have their own algorithm, nor
 * the envelope of its multi-sig actions, which has a rule of its own.
 *
 * @example the mail of EIP-712's own example, domain "Ether Mail" / 1 / 1 / 0xCcCC…, signs 1901,
 *   f2cee375…a912090f and c52c0ee5…7a274b371e, 66 bytes in all
 */
export const typedData: RuleModule<typeof schema> = {
  schema,
  algorithms: ['eip712'],
  build: (data, rule, context) => {
    const { types: given, ...typedData } = readTypedData(data, 'EIP-712 domain');
    const { [DOMAIN_TYPE]: declared, ...types } = given;
    if (declared !== undefined && !isSameList(declared, getDomainFields(typedData.domain))) {
      fail(
        ['types', DOMAIN_TYPE],
        'must be absent or list exactly the members of data.domain, in the order name (string), version (string), ' +
          'chainId (uint256), verifyingContract (address), salt (bytes32)',
      );
    }
    checkPinnedDomain(typedData.domain, rule.domain ?? {}, isSameMember);
    if (typedData.primaryType === MULTI_SIG_TYPE) {
      fail(
        ['primaryType'],
        `must not be ${MULTI_SIG_TYPE}, which rule hyperliquid-multi-sig signs: here, policies would see only a hash`,
      );
    }
    const payload = encodeTypedData({ ...typedData, types }, context);
    if (isExchangeDomain(payload.bytes)) {
      fail(['domain'], "must not be the domain of Hyperliquid's L1 actions, which rule hyperliquid-l1 signs");
    }
    return payload;
  },
  ...readAs({ domain: 'map<string, dyn>', primaryType: 'string', message: 'map<string, dyn>' }, ({ content }) =>
    content?.kind === 'typed-data' ? content.fields : {},
  ),
};
