import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Usage } from '../../../../api/resources/usage.ts'
import { integrationTitle, pathTo, stepTitle, useApi, useConnections } from '../../api/index.ts'
import {
  ButtonLink,
  ChoiceField,
  Empty,
  withEstimate,
  Facts,
  formatDuration,
  WhenLoaded,
  Loading,
  number,
  Page,
  Panel,
  Table,
  useAddress,
} from '../../ui/index.ts'
import { Budgets, SpentByToken } from './budgets.tsx'
import { daysUntil, groupsOf, seriesOf, totalOf } from './figures.ts'
import type { Group, Grouping, Measure, Series } from './figures.ts'

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

type Draw = typeof import('./chart.ts').default

/** The drawing function of charts, loaded when there is something to draw; `false` when it could not be loaded. */
const useDraw = (isNeeded: boolean) => {
  const [loaded, setLoaded] = useState<{ draw: Draw } | false>()
  useEffect(() => {
    if (!isNeeded || loaded) return
    import('./chart.ts').then(
      (chart) => setLoaded({ draw: chart.default }),
      () => setLoaded(false),
    )
  }, [isNeeded])
  return loaded
}

type ChartProps = { draw: Draw; days: string[]; series: Series[]; label: string; format(value: number): string }
/** The tables below the chart contain the same data, so the picture needs only a short description. */
const Chart = ({ draw, days, series, label, format }: ChartProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => draw(place.current!, { days, series, format }), [days, series])
  return <div class="chart" role="img" aria-label={label} ref={place} />
}

type PictureProps = { days: string[]; series: Series[]; measure: Measure; nameOf(line: Series): string }
const Picture = ({ days, series, measure, nameOf }: PictureProps) => {
  const loaded = useDraw(series.length > 0)
  if (series.length === 0) return <p class="muted">{measures[measure]}: none in this time.</p>
  const label = `${measures[measure]} per day, as stacked bars; the tables below show the same figures`
  return (
    <figure>
      {loaded && <Chart draw={loaded.draw} days={days} series={series} label={label} format={formatOf(measure)} />}
      {loaded === undefined && <Loading what="the chart" />}
      {loaded === false && <p role="status">The chart could not be loaded. The tables below show the same figures.</p>}
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

const UsagePage = () => {
  const { query, change } = useAddress()
  const span = spans.includes(query['days'] ?? '') ? query['days']! : '30'
  const by = isIn(groupings, query['by']) ? query['by'] : 'step'
  const measure = isIn(measures, query['of']) ? query['of'] : 'calls'
  const usage = useApi<Usage>('usage', { days: span })
  const days = useMemo(() => daysUntil(Date.now(), Number(span)), [span, usage.data])
  return (
    <Page title="Usage">
      <form class="filters" aria-label="What is shown">
        <ChoiceField
          label="Time"
          value={span}
          options={spans.map((dayCount) => [dayCount, `Last ${dayCount} days`])}
          change={(value) => change({ days: value })}
        />
        <ChoiceField
          label="By"
          value={by}
          options={Object.entries(groupings)}
          change={(value) => change({ by: value })}
        />
        <ChoiceField
          label="In the chart"
          value={measure}
          options={Object.entries(measures)}
          change={(value) => change({ of: value })}
        />
      </form>
      {span === '365' && <p class="muted">Runs are kept for 90 days, so earlier days are empty.</p>}
      <WhenLoaded of={usage} what="the usage">
        {({ budgets, items, spent }) => (
          <>
            {budgets.length > 0 && <Budgets budgets={budgets} />}
            {items.length > 0 ? (
              <Figures rows={items} days={days} by={by} measure={measure} />
            ) : (
              <Empty title={`No runs in the last ${span} days`}>
                <p>Runs of steps are counted here, with their requests, credits and waits.</p>
                <p>
                  <ButtonLink to={['steps']}>Choose a step to run</ButtonLink>
                </p>
              </Empty>
            )}
            {spent.length > 0 && <SpentByToken rows={spent} />}
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default UsagePage
