/**
 * Shapes of the `data` object of a signing request. A to D are the interface specification's; `any` takes every JSON
 * object and leaves the bytes to the platform's payload rule.
 */
export const DATA_FORMATS = ['A', 'B', 'C', 'D', 'any'] as const;

/** See {@link DATA_FORMATS}. */
export type DataFormat = (typeof DATA_FORMATS)[number];
