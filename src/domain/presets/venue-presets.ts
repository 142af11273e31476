import { ASTER, ASTER_V3 } from './aster.ts';
import { BACKPACK } from './backpack.ts';
import { BINANCE, BINANCE_ED25519, BINANCE_FIX, BINANCE_WS, BINANCE_WS_ED25519 } from './binance.ts';
import { BINGX } from './bingx.ts';
import { BITGET } from './bitget.ts';
import { BITMEX } from './bitmex.ts';
import { BITVAVO } from './bitvavo.ts';
import { BYBIT } from './bybit.ts';
import { COINEX } from './coinex.ts';
import { DERIBIT } from './deribit.ts';
import { GATE } from './gate.ts';
import { HTX } from './htx.ts';
import { HYPERLIQUID, HYPERLIQUID_TESTNET, HYPERLIQUID_USER } from './hyperliquid.ts';
import { KRAKEN } from './kraken.ts';
import { KUCOIN } from './kucoin.ts';
import { MEXC } from './mexc.ts';
import { OKX } from './okx.ts';
import { PACIFICA } from './pacifica.ts';
import { PHEMEX } from './phemex.ts';
import type { VenuePreset } from './venue-preset.ts';
import { WOO, WOO_V1 } from './woo.ts';

/**
 * Every preset, by name. Each reproduces published signatures in the file of its name in
 * tests/vectors/venues.
 */
export const VENUE_PRESETS: readonly VenuePreset[] = [
  ASTER,
  ASTER_V3,
  BACKPACK,
  BINANCE,
  BINANCE_ED25519,
  BINANCE_FIX,
  BINANCE_WS,
  BINANCE_WS_ED25519,
  BINGX,
  BITGET,
  BITMEX,
  BITVAVO,
  BYBIT,
  COINEX,
  DERIBIT,
  GATE,
  HTX,
  HYPERLIQUID,
  HYPERLIQUID_TESTNET,
  HYPERLIQUID_USER,
  KRAKEN,
  KUCOIN,
  MEXC,
  OKX,
  PACIFICA,
  PHEMEX,
  WOO,
  WOO_V1,
];

/** The preset of that name; undefined when there is none. */
export function findPreset(name: string): VenuePreset | undefined {
  return VENUE_PRESETS.find((preset) => preset.name === name);
}
