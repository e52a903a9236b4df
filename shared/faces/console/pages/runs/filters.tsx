import { useId } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { manifests } from '../../api/server.ts'
import { useAddress } from '../../ui/address.ts'
import { Button } from '../../ui/basics.tsx'
import { states } from './words.tsx'

export const periods: Record<string, { title: string; ms: number }> = {
  hour: { title: 'In the last hour', ms: 3_600_000 },
  day: { title: 'In the last 24 hours', ms: 86_400_000 },
  week: { title: 'In the last 7 days', ms: 7 * 86_400_000 },
  month: { title: 'In the last 30 days', ms: 30 * 86_400_000 },
}
const names = ['integration', 'step', 'connection', 'state', 'period', 'since', 'until', 'startId'] as const
const listedStates = ['running', 'done', 'failed', 'unknown', 'not_sent'] as const

type ChoiceProps = {
  label: string
  value: string | undefined
  onChange(value: string): void
  children: preact.ComponentChildren
}
const Choice = ({ label, value = '', onChange, children }: ChoiceProps) => {
  const id = useId()
  return (
    <p>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </p>
  )
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
/** A time in the format of an input of type `datetime-local`, in the reader's zone. */
const toField = (at: string | undefined): string => {
  const date = at === undefined ? new Date(Number.NaN) : new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`
}
const fromField = (text: string) => (text === '' ? undefined : new Date(text).toISOString())

const TimeField = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange(at: string | undefined): void
}) => {
  const id = useId()
  return (
    <p>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={toField(value)}
        onChange={(event) => onChange(fromField(event.currentTarget.value))}
      />
    </p>
  )
}

const Steps = ({ integration }: { integration: string | undefined }) => (
  <>
    <option value="">Any step</option>
    {manifests.value
      .filter(({ id }) => integration === undefined || id === integration)
      .map(({ id, title, steps }) => (
        <optgroup key={id} label={title}>
          {steps.map((step) => (
            <option key={step.id} value={`${id}/${step.id}`}>
              {step.title}
            </option>
          ))}
        </optgroup>
      ))}
  </>
)

/** Filters of the run history; their values are stored in the address. */
export const RunFilters = ({ connections }: { connections: Connection[] }) => {
  const { query, change } = useAddress()
  const { integration, step, connection, state, period, since, until, startId } = query
  const isSpan = period === 'span' || since !== undefined || until !== undefined
  const chosen = names.filter((name) => query[name] !== undefined)
  const chooseStep = (value: string) => {
    const [of, id] = value.split('/')
    change(value === '' ? { step: undefined } : { integration: of, step: id })
  }
  return (
    <form class="filters" role="search" aria-label="Filter the runs" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Integration"
        value={integration}
        onChange={(value) => change({ integration: value, step: undefined, connection: undefined })}
      >
        <option value="">Any integration</option>
        {manifests.value.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </Choice>
      <Choice label="Step" value={step === undefined ? '' : `${integration ?? ''}/${step}`} onChange={chooseStep}>
        <Steps integration={integration} />
      </Choice>
      <Choice label="Connection" value={connection} onChange={(value) => change({ connection: value })}>
        <option value="">Any connection</option>
        {connections
          .filter((candidate) => integration === undefined || candidate.integration === integration)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </Choice>
      <Choice label="Outcome" value={state} onChange={(value) => change({ state: value })}>
        <option value="">Any outcome</option>
        {listedStates.map((id) => (
          <option key={id} value={id}>
            {states[id].title}
          </option>
        ))}
      </Choice>
      <Choice
        label="Began"
        value={isSpan ? 'span' : period}
        onChange={(value) => change({ period: value, since: undefined, until: undefined })}
      >
        <option value="">At any time</option>
        {Object.entries(periods).map(([id, { title }]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
        <option value="span">Between two times</option>
      </Choice>
      {isSpan && <TimeField label="From" value={since} onChange={(at) => change({ period: 'span', since: at })} />}
      {isSpan && <TimeField label="Until" value={until} onChange={(at) => change({ period: 'span', until: at })} />}
      {(startId !== undefined || chosen.length > 0) && (
        <p class="row">
          {startId !== undefined && <span>Runs of one start.</span>}
          <Button onClick={() => change(Object.fromEntries(chosen.map((name) => [name, undefined])))}>
            Clear filters
          </Button>
        </p>
      )}
    </form>
  )
}
