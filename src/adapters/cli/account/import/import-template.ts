import { IMPORT_FIELDS, type ImportField } from './import-row.ts';

/** Formats of the template. */
export const TEMPLATE_FORMS = ['csv', 'json'] as const;

type Sample = { readonly [Field in ImportField]?: string } & { readonly values?: { readonly apiKey: string } };

/** A key file, a generated key, a keystore. */
const SAMPLES: readonly Sample[] = [
  {
    platformId: 'bybit',
    accountId: 'main',
    algorithm: 'hmac-sha256',
    alias: 'Bybit main',
    environment: 'production',
    status: 'active',
    keyFile: 'keys/bybit-main.key',
    values: { apiKey: 'YOUR-API-KEY' },
  },
  { platformId: 'my-exchange', accountId: 'market-maker', algorithm: 'ed25519', alias: 'Generated key' },
  {
    platformId: 'treasury',
    accountId: 'hot',
    algorithm: 'eip191',
    status: 'disabled',
    keyFile: 'keys/hot.json',
    keyFormat: 'keystore',
    passwordFile: 'keys/hot.password',
  },
];

/** An import file to fill in, with three sample accounts. */
export function importTemplate(form: (typeof TEMPLATE_FORMS)[number]): string {
  if (form === 'json') return `${JSON.stringify({ accounts: SAMPLES }, null, 2)}\n`;
  const rows = SAMPLES.map((sample) => [
    ...IMPORT_FIELDS.map((field) => sample[field] ?? ''),
    sample.values?.apiKey ?? '',
  ]);
  return [[...IMPORT_FIELDS, 'values.apiKey'], ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}
