/** Test keys, generated with OpenSSL 3.0. */

/** `openssl genpkey -algorithm ed25519`. */
export const ED25519_PKCS8 = [
  '-----BEGIN PRIVATE KEY-----',
  'MC4CAQAwBQYDK2VwBCIEIJRVXaWQ2+j7BjzJwX7TAUNS5LJ127jmveMV0vulMrLw',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

/** `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1`. */
export const SECP256K1_PKCS8 = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgixXwW068fSiCAMPDCwl7',
  'K6ry9bSEW7qDyyLx5LolOPKhRANCAASZSbsOusxmO3Pzw3aPIm3uDdORqqHzPrT8',
  'REyV3V+Ekn7yeMNi34WfdJBHhX/mX+Umd6Kj2hx5UY54FgQ5SGAN',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

/** `openssl ecparam -name secp256k1 -genkey`. */
export const SECP256K1_SEC1_WITH_PARAMETERS = [
  '-----BEGIN EC PARAMETERS-----',
  'BgUrgQQACg==',
  '-----END EC PARAMETERS-----',
  '-----BEGIN EC PRIVATE KEY-----',
  'MHQCAQEEIKlYMdBPUtFEAJPFy71S0rqQ4JjVxJ8GyGvrOiOJDJthoAcGBSuBBAAK',
  'oUQDQgAE3Btnfm4BG+iZ7/PLUfOMK2EhF2Jx/mQLmOG2uy/CxVCpV720cgRtwo7c',
  'nKDsuV1qQ9Mf68l8BEpLCwTxGJX5iA==',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

/** The same key after `openssl ec -conv_form compressed`. */
export const SECP256K1_SEC1_COMPRESSED = [
  '-----BEGIN EC PRIVATE KEY-----',
  'MFQCAQEEIKlYMdBPUtFEAJPFy71S0rqQ4JjVxJ8GyGvrOiOJDJthoAcGBSuBBAAK',
  'oSQDIgAC3Btnfm4BG+iZ7/PLUfOMK2EhF2Jx/mQLmOG2uy/CxVA=',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

/** The same key after `openssl ec -no_public`. */
export const SECP256K1_SEC1_WITHOUT_PUBLIC_KEY = [
  '-----BEGIN EC PRIVATE KEY-----',
  'MC4CAQEEIKlYMdBPUtFEAJPFy71S0rqQ4JjVxJ8GyGvrOiOJDJthoAcGBSuBBAAK',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

/** The same key after `openssl ec -no_public` and `openssl pkcs8 -topk8 -nocrypt`. */
export const SECP256K1_PKCS8_WITHOUT_PUBLIC_KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MD4CAQAwEAYHKoZIzj0CAQYFK4EEAAoEJzAlAgEBBCCpWDHQT1LRRACTxcu9UtK6',
  'kOCY1cSfBshr6zojiQybYQ==',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

/** `openssl pkcs8 -topk8` over ED25519_PKCS8. */
export const ED25519_ENCRYPTED = [
  '-----BEGIN ENCRYPTED PRIVATE KEY-----',
  'MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgVKrfk+YWyMAICCAAw',
  'DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIAbXuhEL5FQ+vczCNIG/tcEQAVd',
  't0ScgPYQxb+hTe9DddXvvbQkenlDEVh+GZVM/y8Hevw8qRwAoqO4pkEoy6iwsauV',
  'xvVlllAtoNHkQ0N5zKw=',
  '-----END ENCRYPTED PRIVATE KEY-----',
  '',
].join('\n');

/** `openssl ec -aes128`. */
export const SECP256K1_ENCRYPTED = [
  '-----BEGIN EC PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  'DEK-Info: AES-128-CBC,54276FCA6F92CFA1DE9C27C63A0671E2',
  '',
  'vFnIx4IjN7+C3X+b7im1mdOyQ6R3GE8geUyaG2r+bUSI6wZUy80aNFtbZG7trbPS',
  'yLpjjySJatBLwdHfkOAylN4Oo/p4zzufOlTSg/m/WAysikYySQJvmivpLOA3OceG',
  'peCl3qwtIAVl1y/ZQLvJseWFoM9DOTFGKpjdGKG0MQM=',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

/** `openssl pkey -pubout`. */
export const ED25519_PUBLIC = [
  '-----BEGIN PUBLIC KEY-----',
  'MCowBQYDK2VwAyEAoeUiLhKZ7D/FNwe8j7w2fyjilA4GTgLv9t0+WLGxpX4=',
  '-----END PUBLIC KEY-----',
  '',
].join('\n');

/** `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`. */
export const P256_PKCS8 = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNvZ9Tt+bkaEtYBoe',
  'oCI45H2bYbmgxnTkmAxKUY828wmhRANCAATdtVEv92ZV4O4I/7JnrIeeRguw77+v',
  'cshr2+D7OLAiW8B8AfGia8hZMgv5ny1Pc2BuSTLm/OL9d5o5iHZSAONG',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

/** Private keys of the above as `openssl pkey -text` shows them. */
export const PRIVATE_KEYS = {
  ed25519: '94555da590dbe8fb063cc9c17ed3014352e4b275dbb8e6bde315d2fba532b2f0',
  secp256k1Pkcs8: '8b15f05b4ebc7d288200c3c30b097b2baaf2f5b4845bba83cb22f1e4ba2538f2',
  secp256k1Sec1: 'a95831d04f52d1440093c5cbbd52d2ba90e098d5c49f06c86beb3a23890c9b61',
} as const;
