import { failField } from '#kit'
import { budgetPeriod } from '../../../api/resources/budget.ts'
import { ledgerKind } from '../../../api/resources/ledger.ts'
import type { Item } from '../operations.ts'
import { amount, choice, command, flag, paging, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readAmount } from '../input.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { plain, shortTime } from '../table.ts'

type Budget = Item<'credits.listBudgets'>

const warnAt = text(
  '<percentage>',
  'notify the platform (budget.warned) from this share on, 1 to 100, or never; default: 80',
)

const readWarning = (warning: string | undefined): number | null | undefined => {
  if (warning === undefined) return undefined
  if (warning === 'never') return null
  const share = /^\d{1,3}%?$/.test(warning) ? Number.parseInt(warning, 10) / 100 : 0
  if (share <= 0 || share > 1)
    throw failField('warn-at', `--warn-at takes a percentage from 1 to 100, or never, not "${warning}".`)
  return share
}

const limited = ({ scope, subject, integration }: Budget) =>
  [scope === 'tenant' ? 'tenant' : `${scope} ${subject}`, integration].filter(Boolean).join(', ')

export const budgetColumns = (budget: Budget) => ({
  budget: budget.id,
  of: limited(budget),
  credits: `${budget.credits} ${budget.period === 'total' ? 'in all' : `a ${budget.period}`}`,
  spent: String(budget.spent),
  reserved: String(budget.reserved),
  left: String(budget.remaining),
  'used up': shortTime(budget.projectedRunOutAt),
})

const budgetSubjects = ['connection', 'token', 'person'] as const

const show = ({ say }: Context, budget: Budget) =>
  say(
    budget,
    `Budget ${budget.id} of the ${plain(limited(budget))}: ${budget.remaining} of ${budget.credits} credits left.`,
  )

export const creditCommands = [
  command(
    {
      usage: 'budgets',
      about: 'list budgets of credits, and what is spent, reserved and left',
    },
    async ({ call, list, typed }) =>
      list(
        await call('credits.listBudgets'),
        `No budgets yet. Add one with: ${typed('budgets add <credits> --period month')}`,
        budgetColumns,
      ),
  ),
  command(
    {
      usage: 'budgets add <credits>',
      about: 'limit what runs may cost; a run that might cost more is not sent',
      arguments: { credits: 'how many credits in each period' },
      options: {
        connection: text('-c <id>', 'only runs with this connection'),
        token: text('<id>', 'only runs of this token'),
        person: text('<id>', "only runs of this end user, by your platform's id"),
        integration: text('-i <id>', 'only runs of this integration'),
        period: choice('<period>', 'when it is full again', budgetPeriod.options, 'month'),
        timeZone: text('<name>', 'where days, weeks and months begin, such as Australia/Sydney; default: UTC'),
        warnAt,
      },
    },
    async (context, { credits, integration, period, timeZone, warnAt, ...options }) => {
      const subjects = budgetSubjects.filter((scope) => options[scope] !== undefined)
      const [scope = 'tenant'] = subjects
      if (subjects.length > 1)
        throw failField(
          subjects[1]!,
          'A budget is that of a connection, a token or a person; give one of --connection, --token and --person.',
        )
      const budget = await context.call('credits.createBudget', {
        scope,
        subject: scope === 'tenant' ? undefined : options[scope],
        credits: readAmount('credits')(credits),
        integration,
        period,
        timeZone,
        warnAt: readWarning(warnAt),
      })
      show(context, budget)
    },
  ),
  command(
    {
      usage: 'budgets set <id>',
      about: 'change the credits or the warning of a budget',
      options: { credits: amount('<credits>', 'how many credits in each period'), warnAt },
    },
    async (context, { id, credits, warnAt }) => {
      const changes = { credits, warnAt: readWarning(warnAt) }
      if (credits === undefined && changes.warnAt === undefined)
        throw failField('credits', 'Nothing to change: give --credits or --warn-at.')
      show(context, await context.call('credits.patchBudget', { id, ...changes }))
    },
  ),
  command(
    {
      usage: 'budgets remove <id>',
      about: 'remove a budget; the ledger stays',
    },
    async ({ call, say }, { id }) => {
      await call('credits.removeBudget', { id })
      say({ removed: id }, `Budget ${plain(id)} is removed.`)
    },
  ),
  command({ usage: 'ledger', about: 'what runs reserved and spent' }),
  command(
    {
      usage: 'ledger list',
      about: 'list the rows of the ledger, newest first',
      options: {
        run: text('<id>', 'only of this run'),
        connection: text('-c <id>', 'only with this connection'),
        token: text('<id>', 'only of this token'),
        person: personFilter,
        integration: text('-i <id>', 'only of this integration'),
        kind: choice('<kind>', 'only rows of this kind', ledgerKind.options),
        unresolved: flag('only runs of unknown outcome whose credits stay reserved'),
        ...paging(),
      },
    },
    async ({ call, list }, { run, unresolved, ...filter }) => {
      const page = await call('credits.listLedger', {
        ...filter,
        entry: run,
        unresolved: unresolved ? 'true' : undefined,
      })
      const personOf = personColumn(page.items)
      list(page, unresolved ? 'Nothing is unresolved.' : 'Nothing was reserved or spent yet.', (row) => ({
        run: row.run,
        at: shortTime(row.at),
        step: `${row.integration} ${row.step}`,
        what: row.kind,
        credits: `${row.credits}${row.kind === 'settled' && row.estimated ? ' (estimated)' : ''}`,
        ...personOf(row),
        token: row.token ?? '',
      }))
    },
  ),
  command(
    {
      usage: 'ledger resolve <run>',
      about: 'say what a run of unknown outcome has cost',
      arguments: { run: 'id of the run' },
      options: { credits: amount('<credits>', 'what the provider charged; 0 for nothing') },
    },
    async ({ call, say }, { run, credits }) => {
      if (credits === undefined)
        throw failField('credits', 'Say what the provider charged with --credits; 0 for nothing.')
      const { items } = await call('credits.resolveLedgerEntry', { id: run, credits })
      say({ items }, `Run ${plain(run)} has cost ${credits} credits; what it had reserved beside is free again.`)
    },
  ),
  command({ usage: 'cache', about: 'results of lookups that are stored to be used again' }),
  command(
    {
      usage: 'cache clear',
      about: 'remove stored results; the next lookups ask the provider, and may cost credits',
      options: {
        connection: text('-c <id>', 'only those of this connection'),
        integration: text('-i <id>', 'only those of this integration'),
        all: flag('all of them'),
      },
    },
    async ({ call, say }, { connection, integration, all }) => {
      if (connection === undefined && integration === undefined && !all)
        throw failField(
          'all',
          'Say which stored results are to be removed: --connection <id>, --integration <id>, or --all.',
        )
      const { removed } = await call('credits.clearCache', { connection, integration, all: all ? 'true' : undefined })
      say({ removed }, `Removed ${removed} stored ${removed === 1 ? 'result' : 'results'}.`)
    },
  ),
]
