import { create, toBinary } from '@bufbuild/protobuf';
import type { AccessToken } from '../domain/model/access-token.ts';
import { ResponseAuthInfoSchema } from './generated/access-messages_pb.ts';

/** What the service says of itself and signs, beside the request and the answer. */
export interface ResponseClaims {
  readonly serviceAccessToken: AccessToken;
  /** That of the request. */
  readonly nonce: Uint8Array;
}

/** The same with the service's signature (specification, Authentication 3). */
export interface ResponseAuthInfo extends ResponseClaims {
  readonly signature: Uint8Array;
}

/** The canonical encoding of the whole message. */
export function encodeResponseAuthInfo(info: ResponseAuthInfo): Uint8Array {
  return toBinary(ResponseAuthInfoSchema, create(ResponseAuthInfoSchema, info));
}

/** The canonical encoding of fields 1 and 2: those before the signature. */
export function encodeResponseClaims({ serviceAccessToken, nonce }: ResponseClaims): Uint8Array {
  return toBinary(ResponseAuthInfoSchema, create(ResponseAuthInfoSchema, { serviceAccessToken, nonce }));
}
