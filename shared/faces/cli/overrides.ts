import { overlay } from '../../pack.ts'

type Overrides = Record<string, Record<string, unknown>>

/** Merges wire overrides by integration; where both set a value, `over` wins. */
export const mergeOverrides = (under: Overrides, over: Overrides): Overrides => overlay(under, over) as Overrides
