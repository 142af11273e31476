import type { NamedRule } from '../model/platform.ts';
import { APEX } from './apex.ts';
import { ASTER, ASTER_V3 } from './aster.ts';
import { BACKPACK } from './backpack.ts';
import { BINANCE, BINANCE_ED25519, BINANCE_FIX, BINANCE_RSA, BINANCE_WS, BINANCE_WS_ED25519 } from './binance.ts';
import { BINGX } from './bingx.ts';
import { BITFINEX } from './bitfinex.ts';
import { BITGET, BITGET_RSA } from './bitget.ts';
import { BITHUMB } from './bithumb.ts';
import { BITMEX } from './bitmex.ts';
import { BITVAVO } from './bitvavo.ts';
import { BYBIT, BYBIT_RSA } from './bybit.ts';
import { COINBASE, COINBASE_ED25519 } from './coinbase.ts';
import { COINBASE_EXCHANGE } from './coinbase-exchange.ts';
import { COINEX } from './coinex.ts';
import { COSMOS_HUB, DYDX, DYDX_TESTNET } from './cosmos.ts';
import { CRYPTO_COM } from './crypto-com.ts';
import { DERIBIT } from './deribit.ts';
import { GATE } from './gate.ts';
import { GEMINI } from './gemini.ts';
import { HTX } from './htx.ts';
import { HYPERLIQUID, HYPERLIQUID_TESTNET, HYPERLIQUID_USER } from './hyperliquid.ts';
import { KRAKEN } from './kraken.ts';
import { KRAKEN_FUTURES } from './kraken-futures.ts';
import { KUCOIN } from './kucoin.ts';
import { MEXC } from './mexc.ts';
import { OKX } from './okx.ts';
import { ORDERLY } from './orderly.ts';
import { PACIFICA } from './pacifica.ts';
import { PARADEX } from './paradex.ts';
import { PHEMEX } from './phemex.ts';
import { POLYMARKET } from './polymarket.ts';
import { UPBIT } from './upbit.ts';
import type { VenuePreset } from './venue-preset.ts';
import { WOO, WOO_V1 } from './woo.ts';

const PRESETS: readonly VenuePreset[] = [
  APEX,
  ASTER,
  ASTER_V3,
  BACKPACK,
  BINANCE,
  BINANCE_ED25519,
  BINANCE_RSA,
  BINGX,
  BITFINEX,
  BITGET,
  BITGET_RSA,
  BITHUMB,
  BITMEX,
  BITVAVO,
  BYBIT,
  BYBIT_RSA,
  COINBASE,
  COINBASE_ED25519,
  COINBASE_EXCHANGE,
  COINEX,
  COSMOS_HUB,
  CRYPTO_COM,
  DERIBIT,
  DYDX,
  DYDX_TESTNET,
  GATE,
  GEMINI,
  HTX,
  HYPERLIQUID,
  HYPERLIQUID_TESTNET,
  KRAKEN,
  KRAKEN_FUTURES,
  KUCOIN,
  MEXC,
  OKX,
  ORDERLY,
  PACIFICA,
  PARADEX,
  PHEMEX,
  POLYMARKET,
  UPBIT,
  WOO,
  WOO_V1,
];

/** Presets of one named rule of another preset, kept under their older names; by name. */
export const ALIAS_PRESETS: readonly VenuePreset[] = [BINANCE_FIX, BINANCE_WS, BINANCE_WS_ED25519, HYPERLIQUID_USER];

/**
 * Every preset, by name, then those of {@link ALIAS_PRESETS}. Each reproduces published signatures
 * in the file of its name in tests/vectors/venues.
 */
export const VENUE_PRESETS: readonly VenuePreset[] = [...PRESETS, ...ALIAS_PRESETS];

/** The preset of that name; undefined when there is none. */
export function findPreset(name: string): VenuePreset | undefined {
  return VENUE_PRESETS.find((preset) => preset.name === name);
}

/** A named rule of a preset, and a preset that has it as its default rule. */
export interface ExplainedRule {
  readonly name: string;
  readonly rule: NamedRule;
  /** The alias, else a preset that is in no list. */
  readonly preset: VenuePreset;
  /** Name of an older preset of the rule alone; null: none. */
  readonly alias: string | null;
}

/** The named rules of a preset, in their order. */
export function listPresetRules(preset: VenuePreset): readonly ExplainedRule[] {
  return Object.entries(preset.platform.rules ?? {}).map(([name, rule]) => explainRule(preset, name, rule));
}

/** @throws Error for a rule that the preset does not explain, a mistake in its file */
function explainRule(preset: VenuePreset, name: string, rule: NamedRule): ExplainedRule {
  const { rules: explained = {}, ...rest } = preset;
  const own = explained[name];
  if (own !== undefined && !('alias' in own)) {
    return { name, rule, preset: { ...rest, ...own, platform: toOnlyRule(preset.platform, rule) }, alias: null };
  }
  const older = own === undefined ? undefined : findPreset(own.alias);
  if (older === undefined) throw new Error(`Preset ${preset.name} does not explain its rule ${name}.`);
  return { name, rule, preset: older, alias: older.name };
}

/** A platform whose default rule is one of its named rules. */
function toOnlyRule(platform: VenuePreset['platform'], rule: NamedRule): VenuePreset['platform'] {
  const { rules: _, ...rest } = platform;
  const { algorithm, encoding, ...payload } = rule;
  return {
    ...rest,
    payload,
    ...(algorithm === undefined ? {} : { algorithms: [algorithm] }),
    ...(encoding === undefined ? {} : { encoding }),
  };
}

/** The preset and rule that an alias stands for; undefined for other presets. */
export function findAliased(alias: VenuePreset): { readonly preset: string; readonly rule: string } | undefined {
  for (const { name: preset, rules = {} } of PRESETS) {
    for (const [rule, known] of Object.entries(rules)) {
      if ('alias' in known && known.alias === alias.name) return { preset, rule };
    }
  }
  return undefined;
}
