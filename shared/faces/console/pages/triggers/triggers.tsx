import type { Subscription } from '../../../../api/resources/subscription.ts'
import { pathTo } from '../../api/root.ts'
import { manifestOf, manifests, triggerOf } from '../../api/server.ts'
import type { Manifest } from '../../api/server.ts'
import { may } from '../../api/session.ts'
import { useApi, usePages } from '../../api/use-api.ts'
import { useAddress } from '../../ui/address.ts'
import { Button } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { PagedTable } from '../../ui/table.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Picker } from '../picker/picker.tsx'
import type { PickEntry } from '../picker/picker.tsx'
import { badgesOf, states, StateBadge, wordOf } from './words.tsx'

const entriesOf = ({ id, title, icon, triggers }: Manifest): PickEntry[] =>
  triggers.map((trigger) => ({
    href: pathTo('triggers', id, trigger.id, 'attach'),
    section: { title, icon: icon.light },
    group: trigger.instant ? 'Instant' : 'Polling',
    title: trigger.title,
    purpose: trigger.purpose,
    icon: trigger.icon,
    badges: badgesOf(trigger),
    keywords: trigger.keywords,
    texts: [trigger.purpose, title, ...trigger.layout.fields.map((field) => field.title)],
    facets: { integration: [id], delivery: trigger.delivery },
  }))

const columnsOf = (nameOf: (id: string) => string): Column<Subscription>[] => [
  {
    title: 'Trigger',
    cell: ({ id, integration, trigger }) => (
      <a href={pathTo('subscriptions', id)}>{triggerOf(integration, trigger)?.title ?? trigger}</a>
    ),
  },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'Integration', cell: ({ integration }) => manifestOf(integration)?.title ?? integration },
  { title: 'Connection', cell: ({ connection }) => nameOf(connection) },
  { title: 'Agent', cell: ({ agent }) => agent.id ?? agent.url ?? 'the platform' },
  { title: 'Attached', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
]

const Attached = () => {
  const { query, change } = useAddress()
  const { state, trigger } = query
  const pages = usePages<Subscription>('subscriptions', { state, trigger })
  const { data } = useApi<{ items: { id: string; name: string }[] }>('connections', { limit: 200 })
  const isFiltered = state !== undefined || trigger !== undefined
  return (
    <div class="tr-attached">
      <h2>Attached triggers</h2>
      <form class="tr-filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          State
          <select value={state ?? ''} onChange={(event) => change({ state: event.currentTarget.value })}>
            <option value="">All</option>
            {states.map((stateName) => (
              <option key={stateName} value={stateName}>
                {wordOf(stateName)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Trigger
          <select value={trigger ?? ''} onChange={(event) => change({ trigger: event.currentTarget.value })}>
            <option value="">All</option>
            {manifests.value.flatMap(({ triggers }) =>
              triggers.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              )),
            )}
          </select>
        </label>
      </form>
      <PagedTable
        pages={pages}
        what="Attached triggers"
        columns={columnsOf((id) => data?.items.find((connection) => connection.id === id)?.name ?? id)}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty title="No attached trigger matches the filters">
              <Button onClick={() => change({ state: undefined, trigger: undefined })}>Clear filters</Button>
            </Empty>
          ) : (
            <Empty title="No trigger is attached yet">
              <p>Choose one below. From then on its events start your agent.</p>
            </Empty>
          )
        }
      />
    </div>
  )
}

const deliveries = [
  { value: 'webhook', label: 'Instant' },
  { value: 'poll', label: 'Polling' },
]

const Triggers = () => {
  const withTriggers = manifests.value.filter(({ triggers }) => triggers.length > 0)
  const filters = [
    {
      name: 'integration',
      label: 'Integration',
      choices: withTriggers.map(({ id, title }) => ({ value: id, label: title })),
    },
    { name: 'delivery', label: 'Delivery', choices: deliveries },
  ]
  return (
    <Page title="Triggers">
      <Attached />
      {may('subscriptions') ? (
        <Picker names={['trigger', 'triggers']} entries={withTriggers.flatMap(entriesOf)} filters={filters} />
      ) : (
        <p class="note">This token may not attach triggers. Sign in with one that has the scope subscriptions.</p>
      )}
    </Page>
  )
}

export default Triggers
