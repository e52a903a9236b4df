import { fail } from '#kit'
import type { CreditPrices, Money } from '../../api/resources/money.ts'

export type { CreditPrices, Money }

/** What credits cost, by the operator's price of a credit. */
export type Pricing = {
  prices: CreditPrices
  /** Adds the money beside the credits of a row, where its integration has a price. */
  withMoney<T extends { integration: string }>(row: T, credits: number): T & { money?: Money }
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6

/** @throws Failure `not_found` for an integration that is not there */
export const createPricing = (prices: CreditPrices, integrations: ReadonlySet<string>): Pricing => {
  const unknown = Object.keys(prices).find((id) => !integrations.has(id))
  if (unknown !== undefined)
    throw fail(
      'not_found',
      `TOOLYARD_CREDIT_PRICES names the integration "${unknown}", which is not there. There are: ${[...integrations].join(', ')}.`,
    )
  return {
    prices,
    withMoney(row, credits) {
      const price = Object.hasOwn(prices, row.integration) ? prices[row.integration] : undefined
      return price ? { ...row, money: { amount: rounded(price.amount * credits), currency: price.currency } } : row
    },
  }
}
