import { overlay } from '../../pack.ts'

type Overrides = Record<string, Record<string, unknown>>

/** Wire overrides laid over each other by integration; where both say something, `over` counts. */
export const mergeOverrides = (under: Overrides, over: Overrides): Overrides => overlay(under, over) as Overrides
