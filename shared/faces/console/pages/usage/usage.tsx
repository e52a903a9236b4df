import { useMemo } from 'preact/hooks'
import type { Usage } from '../../../../api/resources/usage.ts'
import { integrationTitle, isUnbound, may, pathTo, stepTitle, useApi, useConnections } from '../../api/index.ts'
import {
  ButtonLink,
  ChoiceField,
  Empty,
  withEstimate,
  Facts,
  formatDuration,
  WhenLoaded,
  number,
  Page,
  Panel,
  Table,
  useAddress,
} from '../../ui/index.ts'
import { Budgets } from './budgets.tsx'
import { Chart } from './chart.tsx'
import { daysUntil, groupsOf, seriesOf, totalOf } from './figures.ts'
import type { Group, Grouping, Measure, Series } from './figures.ts'
import { NewBudgetButton } from './new-budget.tsx'
import { Spending } from './spending.tsx'

const spans = ['7', '30', '90', '365']
const groupings: Record<Grouping, string> = { step: 'Step', connection: 'Connection', integration: 'Integration' }
const measures: Record<Measure, string> = {
  calls: 'Requests to providers',
  runs: 'Runs',
  failed: 'Failed runs',
  credits: 'Credits',
  waitedMs: 'Time waited',
  refused: 'Refusals by rate limits',
}
const isIn = <T extends string>(names: Record<T, string>, value: string | undefined): value is T =>
  value !== undefined && Object.hasOwn(names, value)

const formatOf = (measure: Measure) => (measure === 'waitedMs' ? formatDuration : number)
const credits = ({ credits: all, estimatedCredits }: Group['sums']) =>
  all === 0 ? '–' : withEstimate(all, estimatedCredits)

type PictureProps = { days: string[]; series: Series[]; measure: Measure; nameOf(line: Series): string }
const Picture = ({ days, series, measure, nameOf }: PictureProps) => {
  if (series.length === 0) return <p class="muted">{measures[measure]}: none in this time.</p>
  const label = `${measures[measure]} per day, as stacked bars; the tables below show the same figures`
  return (
    <figure>
      <Chart days={days} series={series} label={label} format={formatOf(measure)} />
      <figcaption>
        <ul class="row legend">
          {series.map((line, index) => (
            <li key={line.key}>
              <span class={`mark series-${index + 1}`} /> {nameOf(line)}
            </li>
          ))}
        </ul>
        <p class="muted">{measures[measure]} per day. A day begins at midnight UTC.</p>
      </figcaption>
    </figure>
  )
}

const linkOf = (by: Grouping, { integration, step, connection }: Group) => {
  const query =
    by === 'connection' ? { connection: connection ?? '' } : by === 'step' ? { integration, step } : { integration }
  return `${pathTo('runs')}?${new URLSearchParams(query)}`
}

const Sums = ({ groups, by, nameOf }: { groups: Group[]; by: Grouping; nameOf(group: Group): string }) => (
  <Table
    caption={`Usage by ${groupings[by].toLowerCase()}`}
    rows={groups}
    keyOf={({ key }) => key}
    columns={[
      {
        title: groupings[by],
        cell: (group) =>
          by === 'connection' && group.connection === null ? (
            nameOf(group)
          ) : (
            <a href={linkOf(by, group)}>{nameOf(group)}</a>
          ),
      },
      { title: 'Runs', number: true, cell: ({ sums }) => number(sums.runs) },
      { title: 'Failed', number: true, cell: ({ sums }) => number(sums.failed) },
      { title: 'Requests', number: true, cell: ({ sums }) => number(sums.calls) },
      { title: 'Credits', number: true, cell: ({ sums }) => credits(sums) },
      {
        title: 'Waited',
        number: true,
        cell: ({ sums }) => (sums.waitedMs === 0 ? '–' : formatDuration(sums.waitedMs)),
      },
      { title: 'Refused', number: true, cell: ({ sums }) => number(sums.refused) },
    ]}
  />
)

const Days = ({ days, series, measure, nameOf }: PictureProps) => {
  const format = formatOf(measure)
  const rows = days
    .map((day, index) => ({ day, values: series.map(({ values }) => values[index]!) }))
    .filter(({ values }) => values.some((value) => value > 0))
  return (
    <details>
      <summary>Daily figures</summary>
      <Table
        caption={`${measures[measure]} per day`}
        rows={rows.toReversed()}
        keyOf={({ day }) => day}
        columns={[
          { title: 'Day (UTC)', cell: ({ day }) => <time dateTime={day}>{day}</time> },
          ...series.map((line, index) => ({
            title: nameOf(line),
            number: true,
            cell: ({ values }: (typeof rows)[number]) => format(values[index]!),
          })),
          { title: 'All', number: true, cell: ({ values }) => format(values.reduce((sum, value) => sum + value, 0)) },
        ]}
      />
    </details>
  )
}

const useNames = (by: Grouping) => {
  const { nameOf: connectionName } = useConnections(undefined, by === 'connection')
  const nameOf = ({ integration, step, connection }: Group): string => {
    if (by === 'integration') return integrationTitle(integration)
    if (by === 'step') return `${stepTitle(integration, step)} (${integrationTitle(integration)})`
    return connection === null ? 'Without a connection' : connectionName(connection)
  }
  const nameOfLine = ({ key, groups }: Series) => (key === 'others' ? `${groups.length} others` : nameOf(groups[0]!))
  return { nameOf, nameOfLine }
}

const Figures = ({
  rows,
  days,
  by,
  measure,
}: {
  rows: Usage['items']
  days: string[]
  by: Grouping
  measure: Measure
}) => {
  const { nameOf, nameOfLine } = useNames(by)
  const series = useMemo(() => seriesOf(rows, by, measure, days), [rows, by, measure, days])
  const total = useMemo(() => totalOf(rows), [rows])
  return (
    <>
      <Panel>
        <Facts
          facts={[
            ['Runs', `${number(total.runs)}, ${number(total.failed)} of them failed`],
            ['Requests to providers', number(total.calls)],
            ['Credits', credits(total)],
            ['Time waited', `${formatDuration(total.waitedMs)}, for rate limits and between attempts`],
            ['Refusals by rate limits', number(total.refused)],
          ]}
        />
      </Panel>
      <Panel title="Per day">
        <Picture days={days} series={series} measure={measure} nameOf={nameOfLine} />
        {series.length > 0 && <Days days={days} series={series} measure={measure} nameOf={nameOfLine} />}
      </Panel>
      <Sums groups={groupsOf(rows, by, measure)} by={by} nameOf={nameOf} />
    </>
  )
}

/** Chart and tables of the chosen time. */
const Chosen = ({ usage, span }: { usage: Usage; span: string }) => {
  const { query } = useAddress()
  const by = isIn(groupings, query['by']) ? query['by'] : 'step'
  const measure = isIn(measures, query['of']) ? query['of'] : 'calls'
  const days = useMemo(() => daysUntil(Date.now(), Number(span)), [span, usage])
  return usage.items.length > 0 ? (
    <Figures rows={usage.items} days={days} by={by} measure={measure} />
  ) : (
    <Empty title={`No runs in the last ${span} days`}>
      <p>Runs of steps are counted here, with their requests, credits and waits.</p>
      <p>
        <ButtonLink to={['steps']}>Choose a step to run</ButtonLink>
      </p>
    </Empty>
  )
}

const Chooser = ({ span }: { span: string }) => {
  const { query, change } = useAddress()
  return (
    <>
      <form class="filters" aria-label="What is shown">
        <ChoiceField
          label="Time"
          value={span}
          options={spans.map((dayCount) => [dayCount, `Last ${dayCount} days`])}
          change={(value) => change({ days: value })}
        />
        <ChoiceField
          label="By"
          value={isIn(groupings, query['by']) ? query['by'] : 'step'}
          options={Object.entries(groupings)}
          change={(value) => change({ by: value })}
        />
        <ChoiceField
          label="In the chart"
          value={isIn(measures, query['of']) ? query['of'] : 'calls'}
          options={Object.entries(measures)}
          change={(value) => change({ of: value })}
        />
      </form>
      {span === '365' && <p class="muted">Runs are kept for 90 days, so earlier days are empty.</p>}
    </>
  )
}

const UsagePage = () => {
  const { query } = useAddress()
  const span = spans.includes(query['days'] ?? '') ? query['days']! : '30'
  const loaded = useApi<Usage>('usage', { days: span })
  const mayMake = isUnbound() && may('connections')
  return (
    <Page title="Usage" actions={mayMake && <NewBudgetButton made={loaded.reload} />}>
      <Spending />
      <WhenLoaded of={loaded} what="the usage">
        {(usage) => (
          <>
            <Panel title="Budgets">
              {usage.budgets.length === 0 && <p>No budget limits what is spent.</p>}
              {usage.budgets.length > 0 && <Budgets budgets={usage.budgets} changed={loaded.reload} />}
            </Panel>
            <h2>Runs and requests</h2>
            <Chooser span={span} />
            <Chosen usage={usage} span={span} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default UsagePage
