import * as z from 'zod'
import { once } from '../once.ts'
import type { Infer } from './infer.ts'

/** One part of a price, as the provider states it; the parts add up. */
export const pricePart = once(() =>
  z.strictObject({
    per: z
      .enum(['call', 'match', 'record', 'results'])
      .describe(
        'What is charged: each request (`call`), match, record asked for (`record`), or group of `of` results, rounded up (`results`).',
      ),
    credits: z.number().min(0).describe('Credits.'),
    of: z.int().positive().optional().describe('How many results are charged together; default 1.'),
    wanted: z
      .string()
      .min(1)
      .optional()
      .describe('Charged only if the record has this field of ours (such as `phones`) and it was asked for.'),
    each: z
      .string()
      .min(1)
      .optional()
      .describe('Charged as often as this field of ours has values; not at all where it is left out.'),
  }),
)
export type PricePart = Infer<typeof pricePart>

/** Where a reply reports the credits it charged. */
export const creditSignal = once(() =>
  z.union([
    z.strictObject({ header: z.string().describe('In this header.') }),
    z.strictObject({ path: z.string().describe('At this dotted path of the body.') }),
    z.strictObject({
      flag: z.string().describe('Charged if the value at this dotted path is true, free if it is false.'),
      amount: z.number().min(0).optional().describe('With `flag`: the credits charged; default: the price.'),
    }),
  ]),
)
export type CreditSignal = Infer<typeof creditSignal>
