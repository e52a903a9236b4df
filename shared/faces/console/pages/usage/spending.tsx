/** What the present month has cost so far, by step, person, connection or token. */
import type { SpentRow, Usage, UsageGroup, UsageTotal } from '../../../../api/resources/usage.ts'
import { apiRoot, integrationTitle, pathTo, stepTitle, useApi } from '../../api/index.ts'
import { ChoiceField, number, Panel, Table, useAddress, WhenLoaded } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { useNames } from '../approvals/use-names.ts'
import { monthStart, monthTitle } from './month.ts'
import { moneyOf, runsOf, spentOf, sumOfMoney } from './words.ts'

const groupings: Record<UsageGroup, string> = { step: 'Step', person: 'Person', connection: 'Connection' }

/** What a row is of, and a page that shows more of it. */
const subjectOf = (by: UsageGroup, { integration, step, person, connection, name }: UsageTotal) => {
  if (by === 'step')
    return {
      title: `${name ?? stepTitle(integration, step ?? '')} (${integrationTitle(integration)})`,
      link: `${pathTo('runs')}?${new URLSearchParams({ integration, step: step ?? '' })}`,
    }
  const at = ` (${integrationTitle(integration)})`
  if (by === 'person')
    return {
      title: `${person ?? 'Nobody in particular'}${at}`,
      link: person === null ? undefined : pathTo('people', person),
    }
  if (connection === null) return { title: `Without a connection${at}`, link: undefined }
  return {
    title: name ?? 'A connection that is gone',
    link: name === null ? undefined : pathTo('connections', connection),
  }
}

const columnsOf = (by: UsageGroup, rows: UsageTotal[]): Column<UsageTotal>[] => [
  {
    title: groupings[by],
    cell: (row) => {
      const { title, link } = subjectOf(by, row)
      return link === undefined ? title : <a href={link}>{title}</a>
    },
  },
  { title: 'Runs', number: true, cell: ({ runs }) => number(runs) },
  {
    title: 'Credits',
    number: true,
    cell: ({ credits, estimatedCredits }) => (credits === 0 ? '–' : spentOf(credits, estimatedCredits)),
  },
  ...(rows.some(({ money }) => money)
    ? [{ title: 'Money', number: true, cell: ({ money }: UsageTotal) => (money ? moneyOf(money) : '–') }]
    : []),
]

type Tokens = Pick<SpentRow, 'token' | 'spent' | 'estimated' | 'reserved'>
const byToken = (rows: SpentRow[]): Tokens[] => {
  const sums = new Map<string | null, Tokens>()
  for (const row of rows) {
    const sum = sums.get(row.token) ?? { token: row.token, spent: 0, estimated: 0, reserved: 0 }
    for (const field of ['spent', 'estimated', 'reserved'] as const) sum[field] += row[field]
    sums.set(row.token, sum)
  }
  return [...sums.values()].sort((a, b) => b.spent - a.spent)
}

const ByToken = ({ rows }: { rows: SpentRow[] }) => {
  const nameOf = useNames()
  return (
    <details>
      <summary>Credits by token</summary>
      <Table
        caption="Credits by token"
        rows={byToken(rows)}
        keyOf={({ token }) => token ?? ''}
        columns={[
          {
            title: 'Token or program',
            cell: ({ token }) =>
              token === null ? 'Without a token' : (nameOf(token) ?? 'One that is not listed to you'),
          },
          { title: 'Credits', number: true, cell: ({ spent, estimated }) => spentOf(spent, estimated) },
          { title: 'Reserved', number: true, cell: ({ reserved }) => (reserved === 0 ? '–' : number(reserved)) },
        ]}
      />
    </details>
  )
}

const sumOf = (rows: UsageTotal[]) => {
  const sum = { runs: 0, failed: 0, credits: 0, estimated: 0 }
  for (const { runs, failed, credits, estimatedCredits } of rows) {
    sum.runs += runs
    sum.failed += failed
    sum.credits += credits
    sum.estimated += estimatedCredits
  }
  return sum
}

/** What it came to, in a sentence. */
const Sentence = ({ totals, spent }: { totals: UsageTotal[]; spent: SpentRow[] }) => {
  const { runs, failed, credits, estimated } = sumOf(totals)
  const money = sumOfMoney(totals)
  const reserved = spent.reduce((sum, row) => sum + row.reserved, 0)
  return (
    <p>
      {runsOf(runs, failed)}:{' '}
      {credits === 0
        ? 'nothing was spent'
        : `${spentOf(credits, estimated)} ${credits === 1 ? 'credit was' : 'credits were'} spent`}
      {money !== undefined && `, which is ${money}`}.
      {reserved > 0 && ` ${number(reserved)} more are reserved by runs that are not settled.`}
    </p>
  )
}

/** `person`: only what their calls have cost. */
export const Spending = ({ person }: { person?: string }) => {
  const { query, change } = useAddress()
  const spentBy = query['spent']
  const by = (spentBy !== undefined && Object.hasOwn(groupings, spentBy) ? spentBy : 'step') as UsageGroup
  const since = monthStart()
  const loaded = useApi<Usage>('usage', { since, by, person })
  const search = new URLSearchParams({ since, by, ...(person === undefined ? {} : { person }) })
  const choices = Object.entries(groupings).filter(([group]) => person === undefined || group !== 'person')
  return (
    <Panel title={person === undefined ? monthTitle() : `Use in ${monthTitle()}`}>
      <WhenLoaded of={loaded} what="what was spent">
        {({ totals = [], spent }) => (
          <>
            <Sentence totals={totals} spent={spent} />
            {totals.length > 0 && (
              <>
                <div class="filters">
                  <ChoiceField
                    label="Spent by"
                    value={by}
                    options={choices}
                    change={(value) => change({ spent: value })}
                  />
                  <p class="row">
                    <a class="button plain" href={`${apiRoot}usage/export?${search}`} download={`usage-by-${by}.csv`}>
                      Download as CSV
                    </a>
                  </p>
                </div>
                <Table
                  caption={`Spent by ${groupings[by].toLowerCase()}`}
                  rows={totals}
                  keyOf={({ integration, step, connection, person: of }) =>
                    JSON.stringify([integration, step, connection, of])
                  }
                  columns={columnsOf(by, totals)}
                />
              </>
            )}
            {spent.length > 0 && person === undefined && <ByToken rows={spent} />}
          </>
        )}
      </WhenLoaded>
    </Panel>
  )
}
