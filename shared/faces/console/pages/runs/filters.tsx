import type { Connection } from '../../../../api/resources/connection.ts'
import { integrationChoices, manifests, titleOf } from '../../api/index.ts'
import { readersZone, showMoment } from '../../form/moments.ts'
import { Filters, personFilter, useAddress } from '../../ui/index.ts'
import type { Choice, Filter } from '../../ui/index.ts'
import { states } from './words.tsx'

export const periods: Record<string, { title: string; ms: number }> = {
  hour: { title: 'In the last hour', ms: 3_600_000 },
  day: { title: 'In the last 24 hours', ms: 86_400_000 },
  week: { title: 'In the last 7 days', ms: 7 * 86_400_000 },
  month: { title: 'In the last 30 days', ms: 30 * 86_400_000 },
}
const listedStates = ['running', 'done', 'failed', 'unknown', 'not_sent'] as const

/** A time in the format of an input of type `datetime-local`, in the reader's zone. */
const toField = (at: string | undefined) => {
  const { date, time } = showMoment(at, readersZone())
  return date === '' ? '' : `${date}T${time}`
}

/** Every step by its title; the integration is named where several have a step of this title. */
const stepNames = (integration: string | undefined): [value: string, label: string][] => {
  const steps = manifests.value
    .filter(({ id }) => integration === undefined || id === integration)
    .flatMap(({ id, title: of, steps: all }) =>
      all.map((step) => ({ value: `${id}/${step.id}`, title: step.title, of })),
    )
  const isShared = (title: string) => steps.filter((step) => step.title === title).length > 1
  return steps.map(({ value, title, of }) => [value, isShared(title) ? `${title} (${of})` : title])
}

const timeFilter = (name: 'since' | 'until', label: string, at: string | undefined): Filter => ({
  name,
  label,
  type: 'datetime-local',
  value: toField(at),
  changes: (text) => ({ period: 'span', [name]: text && new Date(text).toISOString() }),
})

const fewChoices = 12

/** A list to choose from, or a search by name where the list would be long. */
const choicesOf = (named: [string, string][], any: string): Pick<Filter, 'named' | 'options' | 'any'> =>
  named.length > fewChoices ? { named } : { options: named, any }

/** Filters of the run history; their values are stored in the address. */
export const RunFilters = ({ connections, people }: { connections: Connection[]; people: string[] }) => {
  const { integration, step, period, since, until, startId } = useAddress().query
  const isSpan = period === 'span' || since !== undefined || until !== undefined
  const changesOfStep = (value: string) => {
    const [of, id] = value.split('/')
    return value === '' ? { step: undefined } : { integration: of, step: id }
  }
  return (
    <Filters
      label="Filter the runs"
      also={['startId', 'since', 'until']}
      filters={[
        {
          name: 'integration',
          label: 'Integration',
          any: 'Any integration',
          options: integrationChoices(),
          changes: () => ({ step: undefined, connection: undefined }),
        },
        {
          name: 'step',
          label: 'Step',
          named: stepNames(integration),
          value: step === undefined ? '' : `${integration ?? ''}/${step}`,
          changes: changesOfStep,
        },
        {
          name: 'connection',
          label: 'Connection',
          ...choicesOf(
            connections
              .filter((connection) => integration === undefined || connection.integration === integration)
              .map((connection) => [connection.id, titleOf(connection)]),
            'Any connection',
          ),
        },
        { ...personFilter, suggest: people },
        {
          name: 'state',
          label: 'Outcome',
          any: 'Any outcome',
          options: listedStates.map((id) => [id, states[id].title]),
        },
        {
          name: 'period',
          label: 'Began',
          any: 'At any time',
          options: [
            ...Object.entries(periods).map(([id, { title }]): Choice => [id, title]),
            ['span', 'Between two times'],
          ],
          value: isSpan ? 'span' : (period ?? ''),
          changes: () => ({ since: undefined, until: undefined }),
        },
        ...(isSpan ? [timeFilter('since', 'From', since), timeFilter('until', 'Until', until)] : []),
      ]}
    >
      {startId !== undefined && <span>Runs of one start.</span>}
    </Filters>
  )
}
