import { fail, isOverBudget } from '#kit'
import type { LedgerEntry, LedgerRow, Settlement } from '../ports/index.ts'
import { whose } from '../credits/reservations.ts'
import type { Reservations } from '../credits/reservations.ts'

/** How sure a charge is. `unknown`: nobody knows whether it was charged at all. */
export type Certainty = 'exact' | 'estimated' | 'unknown'

/** What a run may spend. */
export type Spend = {
  /**
   * What is asked next may cost up to `most`, beside what the run was charged so far. It is reserved with the row of
   * the run (`onSending`), before anything is sent. `least`: the other end of the quote.
   * @throws Failure `budget_exceeded` where the caller's own limit for the run is less
   */
  reserve(most: number, least?: number): void
  /**
   * Nobody knows what `request` costs: it is sent where nothing limits what the run may spend, which is looked at when
   * it is to be sent (`onSending`).
   * @throws Failure `budget_exceeded`, there
   */
  reserveUnknown(request: string): void
  /** Whether that much could be reserved now. */
  hasRoom(most: number): Promise<boolean>
  /** So much was charged. */
  count(credits: number, certainty: Certainty): void
}

/** For work that is no run, or that nothing is paid for. */
export const noSpend: Spend = {
  reserve: () => {},
  reserveUnknown: () => {},
  hasRoom: () => Promise.resolve(true),
  count: () => {},
}

/** For work that must cost nothing, such as filling a form; `what` it does begins a sentence. */
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
  /** Least and most of what was reserved first. */
  quoted(): [number, number] | undefined
  /** Whether something is to be reserved yet. */
  isShort(): boolean
  /** Reserves it. @throws Failure `budget_exceeded` */
  commit(): Promise<void>
  /** What ends the entry; undefined where there is none. */
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
      // Of any other failure nobody knows whether the row was written.
      if (isOverBudget(refused)) {
        parts -= 1
        // Less may fit.
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
