/** An attribute of an object on a token; values in native byte order. */
export interface CryptokiAttribute {
  readonly type: number;
  readonly value?: Buffer | string | number | boolean;
}

/** CK_MECHANISM with CK_GCM_PARAMS (PKCS #11 2.40, section 2.12.7). */
export interface GcmMechanism {
  readonly mechanism: number;
  readonly parameter: {
    readonly type: number;
    readonly iv: Buffer;
    readonly ivBits: number;
    readonly aad: Buffer;
    readonly tagBits: number;
  };
}

/** The part of the class `PKCS11` of pkcs11js 2.1 that is used. Handles are opaque buffers. */
export interface Cryptoki {
  load(path: string): void;
  close(): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(tokenPresent: boolean): readonly Buffer[];
  C_GetTokenInfo(slot: Buffer): { readonly label: string; readonly flags: number };
  C_OpenSession(slot: Buffer, flags: number): Buffer;
  C_CloseSession(session: Buffer): void;
  C_Login(session: Buffer, userType: number, pin: string): void;
  C_Logout(session: Buffer): void;
  C_FindObjectsInit(session: Buffer, template: readonly CryptokiAttribute[]): void;
  C_FindObjects(session: Buffer, maxCount: number): readonly Buffer[];
  C_FindObjectsFinal(session: Buffer): void;
  C_GetAttributeValue(
    session: Buffer,
    key: Buffer,
    template: readonly CryptokiAttribute[],
  ): readonly { readonly value: Buffer }[];
  C_EncryptInit(session: Buffer, mechanism: GcmMechanism, key: Buffer): void;
  /** Writes to `output`, and returns the part of it that was written. */
  C_Encrypt(session: Buffer, input: Buffer, output: Buffer): Buffer;
  C_DecryptInit(session: Buffer, mechanism: GcmMechanism, key: Buffer): void;
  /** Like C_Encrypt. */
  C_Decrypt(session: Buffer, input: Buffer, output: Buffer): Buffer;
}

/** Numbers of pkcs11t.h (PKCS #11 2.40). */
export const CK = {
  CKU_USER: 1,
  CKF_SERIAL_SESSION: 4,
  CKF_USER_PIN_FINAL_TRY: 0x2_0000,
  CKF_USER_PIN_LOCKED: 0x4_0000,
  CKO_SECRET_KEY: 4,
  CKA_CLASS: 0,
  CKA_LABEL: 3,
  CKA_ID: 0x102,
  CKA_SENSITIVE: 0x103,
  CKA_EXTRACTABLE: 0x162,
  CKM_AES_GCM: 0x1087,
} as const;

/** The return code in an error of pkcs11js, such as CKR_PIN_INCORRECT; null for other errors. */
export function findReturnCode(error: unknown): string | null {
  return error instanceof Error ? (/^CKR_\w+/.exec(error.message)?.[0] ?? null) : null;
}
