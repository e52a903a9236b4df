import { fail, isOverBudget } from '#kit'
import type { LedgerEntry, LedgerRow, Settlement } from '../ports/index.ts'
import { whose } from '../credits/reservations.ts'
import type { Reservations } from '../credits/reservations.ts'

/** How certain a charge is. `unknown`: it is unclear whether anything was charged. */
export type Certainty = 'exact' | 'estimated' | 'unknown'

/** What a run may spend, in credits. */
export type Spend = {
  /**
   * Announces that the next request may cost up to `most`, in addition to what the run was charged so far. It is
   * reserved together with the row of the run (`onSending`), before anything is sent. `least`: the minimum of the
   * quote.
   * @throws Failure `budget_exceeded` when `maxCredits` of the run is lower
   */
  reserve(most: number, least?: number): void
  /**
   * Announces a request of unknown price. It is sent only if nothing limits what the run may spend, which is checked
   * when it is about to be sent (`onSending`).
   * @throws Failure `budget_exceeded` at that point
   */
  reserveUnknown(request: string): void
  /** What `maxCredits` of the run leaves, in credits; undefined: it has none. */
  rest(): number | undefined
  /** Whether `most` more credits could be reserved now. */
  hasRoom(most: number): Promise<boolean>
  /** Records credits that were charged. */
  count(credits: number, certainty: Certainty): void
}

/** For work that is not a run or costs nothing. */
export const noSpend: Spend = {
  reserve: () => {},
  reserveUnknown: () => {},
  rest: () => undefined,
  hasRoom: () => Promise.resolve(true),
  count: () => {},
}

/** For work that must be free, such as filling a form. `what` describes it and begins the failure's message. */
export const costFree = (what: string): Spend => ({
  ...noSpend,
  reserve(most) {
    if (most > 0)
      throw fail(
        'budget_exceeded',
        `${what} must cost nothing, and this may cost ${say(most)}. Nothing was sent for it.`,
      )
  },
})

export type RunSpend = Spend & {
  /** Minimum and maximum of the first reservation. */
  quoted(): [number, number] | undefined
  /** Whether anything is still to be reserved. */
  isShort(): boolean
  /**
   * Reserves what was announced.
   * @throws Failure `budget_exceeded`
   */
  commit(): Promise<void>
  /** What closes the run's entry in the ledger; undefined when there is none. */
  settlement(at: number): Settlement | undefined
}

type SpendDependencies = {
  entry: Omit<LedgerEntry, 'entryAt'>
  reservations: Reservations
  now(): number
  maxCredits: number | undefined
}

const say = (credits: number) => `${credits} ${credits === 1 ? 'credit' : 'credits'}`

const unknownPrice = (request: string, limit: string) =>
  fail(
    'budget_exceeded',
    `The price of ${request} is not known, and ${limit}. Nothing was sent for it. Use a step, an endpoint that Find Endpoints shows with its price, ` +
      'or have the operator allow the path in the policy ("apiCallUnpriced").',
  )

export const createSpend = ({ entry, reservations, now, maxCredits }: SpendDependencies): RunSpend => {
  const charged = { exact: 0, estimated: 0, unknown: 0 }
  let [neededCredits, reserved, parts, entryAt] = [0, 0, 0, 0]
  let quoted: [number, number] | undefined
  let unknown: string | undefined
  let committing: Promise<void> | undefined

  const spent = () => charged.exact + charged.estimated + charged.unknown
  const rowOf = (part: number, credits: number): LedgerRow => {
    const began = part === 1 ? now() : entryAt
    return {
      ...entry,
      entryAt: began,
      part,
      kind: 'reserved',
      credits,
      estimated: true,
      at: part === 1 ? began : now(),
    }
  }

  const reserveMore = async () => {
    const row = rowOf(parts + 1, neededCredits - reserved)
    entryAt = row.entryAt
    parts += 1
    try {
      await reservations.reserve(row)
    } catch (refused) {
      // After any other failure it is unclear whether the row was written, so its number is not used again.
      if (isOverBudget(refused)) {
        parts -= 1
        // A cheaper request may still fit.
        neededCredits = reserved
      }
      throw refused
    }
    reserved += row.credits
  }

  const requireNoLimit = async (request: string) => {
    if (maxCredits !== undefined) throw unknownPrice(request, `the run may cost ${say(maxCredits)} ("maxCredits")`)
    const budget = await reservations.budgetFor(rowOf(parts + 1, 0))
    if (budget) throw unknownPrice(request, `the budget ${whose[budget.scope]} ("${budget.id}") counts it`)
    unknown = undefined
  }

  const spend: RunSpend = {
    reserve(most, least = 0) {
      quoted ??= [least, most]
      const total = spent() + most
      if (maxCredits !== undefined && total > maxCredits)
        throw fail(
          'budget_exceeded',
          `This may cost ${say(most)}${total > most ? ` beside ${say(total - most)} that it has cost` : ''}, and the run may cost ${say(maxCredits)} ("maxCredits"). Nothing was sent for it. Ask for less, or allow more.`,
        )
      neededCredits = Math.max(neededCredits, total)
    },
    reserveUnknown(request) {
      unknown = request
    },
    rest: () => (maxCredits === undefined ? undefined : Math.max(0, maxCredits - spent())),
    async hasRoom(most) {
      const total = spent() + most
      if (maxCredits !== undefined && total > maxCredits) return false
      return total <= reserved || reservations.hasRoom(rowOf(parts + 1, total - reserved))
    },
    count(credits, certainty) {
      charged[certainty] += credits
    },
    quoted: () => quoted,
    isShort: () => neededCredits > reserved || unknown !== undefined,
    async commit() {
      while (committing) await committing
      if (unknown !== undefined) await requireNoLimit(unknown)
      if (neededCredits <= reserved) return
      committing = reserveMore().finally(() => (committing = undefined))
      await committing
    },
    settlement(at) {
      const { exact, estimated, unknown } = charged
      if (parts === 0 && exact + estimated + unknown === 0) return undefined
      return { ...entry, entryAt: parts === 0 ? at : entryAt, at, charged: exact, estimated, unknown }
    },
  }
  return spend
}
