import { once, z } from '#kit'
import { text } from './fields.ts'

export const money = once(() =>
  z
    .object({ amount: z.number(), currency: text.describe('ISO 4217, such as EUR') })
    .describe('What the credits cost; absent where the operator gives no price for a credit of this integration'),
)

export type Money = z.infer<ReturnType<typeof money>>

/** The price of a credit by integration id, as operators give it. */
export const creditPrices = once(() =>
  z.record(
    z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
    z.strictObject({ amount: z.number().min(0).max(1_000_000), currency: z.string().regex(/^[A-Z]{3}$/) }),
  ),
)

export type CreditPrices = z.infer<ReturnType<typeof creditPrices>>
