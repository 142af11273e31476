/** ASCII of "signing-service/key-self-test/v1", which says what it is and is no request of any platform. */
export const SELF_TEST_PROBE: Uint8Array = Buffer.from('signing-service/key-self-test/v1', 'ascii');
