import type { BudgetView, NewBudget } from '../../runtime/credits/budgets.ts'
import type { LedgerView } from '../../runtime/credits/ledger.ts'
import type { LedgerKind, SpentRow } from '../../runtime/ports/index.ts'
import { failField } from '#kit'
import type { Client } from './client.ts'
import type { UsageReport } from './records-client.ts'
import { readPaging, printList, shortTime } from './subscriptions.ts'
import type { Listing } from './subscriptions.ts'
import { plain } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const over = async (client: Client, work: () => Promise<unknown>): Promise<number> => {
  try {
    await work()
    return 0
  } finally {
    await client.close()
  }
}

const whose = ({ scope, subject, integration }: BudgetView) => [scope === 'tenant' ? 'tenant' : `${scope} ${subject}`, integration].filter(Boolean).join(', ')
const budgetHead = ['budget', 'of', 'credits', 'spent', 'reserved', 'left', 'used up']
const budgetRow = (one: BudgetView) => [
  one.id,
  whose(one),
  `${one.credits} ${one.period === 'total' ? 'in all' : `a ${one.period}`}`,
  String(one.spent),
  String(one.reserved),
  String(one.remaining),
  shortTime(one.projectedRunOutAt),
]
const noBudgets = (terminal: Terminal) => `No budgets yet. Add one with: ${typed(terminal, 'budgets add <credits> --period month')}`

/** For the end of `toolyard usage`: who spent, and what is left. */
export const sayCredits = (terminal: Terminal, { spent, budgets }: Pick<UsageReport, 'spent' | 'budgets'>) => {
  if (spent.length > 0) {
    terminal.out('\n')
    const row = (one: SpentRow) => [
      one.day,
      `${one.integration} ${one.step}`,
      `${one.spent}${one.estimated > 0 ? ` (${one.estimated} estimated)` : ''}`,
      String(one.reserved),
      one.token ?? '',
    ]
    printList(terminal, { items: spent }, false, ['day', 'step', 'spent', 'reserved', 'token'], row, '')
  }
  if (budgets.length > 0) {
    terminal.out('\n')
    printList(terminal, { items: budgets }, false, budgetHead, budgetRow, '')
  }
}

/** `toolyard budgets` */
export const listBudgets = (client: Client, terminal: Terminal, { json }: { json?: boolean }) =>
  over(client, async () => printList(terminal, { items: await client.credits.budgets() }, json, budgetHead, budgetRow, noBudgets(terminal)))

const say = (terminal: Terminal, one: BudgetView, json: boolean | undefined) =>
  terminal.out(json ? `${JSON.stringify(one)}\n` : `Budget ${one.id} of the ${plain(whose(one))}: ${one.remaining} of ${one.credits} credits left.\n`)

const readWarning = (text: string | undefined): number | null | undefined => {
  if (text === undefined) return undefined
  if (text === 'never') return null
  const share = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) / 100 : 0
  if (share <= 0 || share > 1) throw failField('warn-at', `--warn-at takes a percentage from 1 to 100, or never, not "${text}".`)
  return share
}

export type BudgetGiven = { connection?: string; token?: string; integration?: string; period?: string; timeZone?: string; warnAt?: string; json?: boolean }

/** `toolyard budgets add <credits>` */
export const addBudget = (
  client: Client,
  terminal: Terminal,
  { credits, connection, token, integration, period = 'month', timeZone, warnAt, json }: BudgetGiven & { credits: number },
) =>
  over(client, async () => {
    if (connection !== undefined && token !== undefined)
      throw failField('token', 'A budget is that of a connection or of a token; give one of --connection and --token.')
    const subject = connection ?? token
    const warn = readWarning(warnAt)
    const budget: NewBudget = {
      scope: connection !== undefined ? 'connection' : token !== undefined ? 'token' : 'tenant',
      credits,
      period: period as NewBudget['period'],
      ...(subject === undefined ? {} : { subject }),
      ...(integration === undefined ? {} : { integration }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(warn === undefined ? {} : { warnAt: warn }),
    }
    say(terminal, await client.credits.addBudget(budget), json)
  })

/** `toolyard budgets set <id>` */
export const changeBudget = (
  client: Client,
  terminal: Terminal,
  { id, credits, warnAt, json }: { id: string; credits?: number; warnAt?: string; json?: boolean },
) =>
  over(client, async () => {
    const warn = readWarning(warnAt)
    if (credits === undefined && warn === undefined) throw failField('credits', 'Nothing to change: give --credits or --warn-at.')
    say(
      terminal,
      await client.credits.changeBudget(id, { ...(credits === undefined ? {} : { credits }), ...(warn === undefined ? {} : { warnAt: warn }) }),
      json,
    )
  })

/** `toolyard budgets remove <id>` */
export const removeBudget = (client: Client, terminal: Terminal, { id, json }: { id: string; json?: boolean }) =>
  over(client, async () => {
    await client.credits.removeBudget(id)
    terminal.out(json ? `${JSON.stringify({ removed: id })}\n` : `Budget ${plain(id)} is removed.\n`)
  })

const ledgerHead = ['run', 'at', 'step', 'what', 'credits', 'token']
const ledgerRow = (one: LedgerView) => [
  one.run,
  shortTime(one.at),
  `${one.integration} ${one.step}`,
  one.kind,
  `${one.credits}${one.kind === 'settled' && one.estimated ? ' (estimated)' : ''}`,
  one.token ?? '',
]

export type LedgerGiven = Listing & { run?: string; connection?: string; token?: string; integration?: string; kind?: string; unresolved?: boolean }

/** `toolyard ledger list` */
export const listLedger = (client: Client, terminal: Terminal, { limit, cursor, json, run, kind, ...filter }: LedgerGiven) =>
  over(client, async () => {
    const asked = { ...filter, ...(run === undefined ? {} : { entry: run }), ...(kind === undefined ? {} : { kind: kind as LedgerKind }) }
    const listed = await client.credits.ledger(readPaging({ limit, ...(cursor === undefined ? {} : { cursor }) }), asked)
    printList(terminal, listed, json, ledgerHead, ledgerRow, filter.unresolved ? 'Nothing is unresolved.' : 'Nothing was reserved or spent yet.')
  })

/** `toolyard ledger resolve <run>` */
export const resolveEntry = (client: Client, terminal: Terminal, { entry, credits, json }: { entry: string; credits?: number; json?: boolean }) =>
  over(client, async () => {
    if (credits === undefined) throw failField('credits', 'Say what the provider charged with --credits; 0 for nothing.')
    const items = await client.credits.resolve(entry, credits)
    terminal.out(json ? `${JSON.stringify({ items })}\n` : `Run ${plain(entry)} has cost ${credits} credits; what it had reserved beside is free again.\n`)
  })

export type CacheGiven = { connection?: string; integration?: string; all?: boolean; json?: boolean }

/** `toolyard cache clear` */
export const clearCache = (client: Client, terminal: Terminal, { json, ...which }: CacheGiven) =>
  over(client, async () => {
    if (which.connection === undefined && which.integration === undefined && !which.all)
      throw failField('all', 'Say which stored results are to be removed: --connection <id>, --integration <id>, or --all.')
    const { removed } = await client.credits.clearCache(which)
    terminal.out(json ? `${JSON.stringify({ removed })}\n` : `Removed ${removed} stored ${removed === 1 ? 'result' : 'results'}.\n`)
  })
