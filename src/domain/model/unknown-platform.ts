/** What is wrong with a `platformId` that no platform has, as a clause about it. */
export const UNKNOWN_PLATFORM =
  'is not the platformId of any platform; add it first with `signing-service platform add`';
