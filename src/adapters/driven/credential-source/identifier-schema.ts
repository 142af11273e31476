import { z } from 'zod';
import { IDENTIFIER_PATTERN } from '../../../domain/model/identifier.ts';

/** A platformId or an accountId. */
export const identifierSchema = z
  .string()
  .regex(IDENTIFIER_PATTERN, 'must be 1 to 128 letters, digits or . _ : @ + -, with a letter or digit first');
