import { common } from './en/common.ts';

/**
 * The catalogue of words: every sentence a person reads, by area. One file per area in `en/`; sentences with parts are
 * functions. A second language is a second folder that satisfies the type of this one.
 */
export const words = { common } as const;

export type Words = typeof words;
