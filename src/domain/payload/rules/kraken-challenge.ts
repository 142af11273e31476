import { z } from 'zod';
import { ownMember, withoutUndefined } from '../../model/json.ts';
import { fieldMessage, hexPayload, invalid } from '../payload-outcome.ts';
import { type RuleModule, readAs } from '../rule-module.ts';

const encoder = new TextEncoder();

/** As Kraken sends it. Without `/`, with whose path the hashed text of a request ends. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const schema = z.strictObject({ rule: z.literal('kraken-challenge') });

/**
 * Rule `kraken-challenge`: the SHA-256 of `data.challenge`, 32 bytes, as Kraken's Derivatives
 * WebSocket lets an API key subscribe to private feeds. The challenge is a UUID in lowercase, so
 * that its hash is none of a request under rule `kraken-futures`.
 *
 * @see https://docs.kraken.com/exchange/guides/futures/websockets
 * @example `{"challenge": "c100b894-1729-464d-ace1-52dbce11db42"}` signs
 *   `e169f16ab66e9f9ee0aa0caa71f9a811cb687050693051d90bb487cd5596ac7a`, in hex
 */
export const krakenChallenge: RuleModule<typeof schema> = {
  schema,
  members: () => ['challenge'],
  build: (data, _, { hasher }) => {
    const challenge = ownMember(data, 'challenge');
    if (typeof challenge !== 'string' || !UUID.test(challenge)) {
      return invalid(
        'data.challenge',
        fieldMessage(challenge, 'must be the challenge as Kraken sent it: a UUID of lowercase hex digits'),
      );
    }
    const bytes = hasher.digest('sha256', encoder.encode(challenge));
    return hexPayload(bytes, { data: { challenge } });
  },
  ...readAs({ challenge: 'string' }, ({ parts }) => withoutUndefined({ challenge: parts.data?.['challenge'] })),
};
