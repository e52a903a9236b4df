import type { Subscription } from '../../../../api/resources/subscription.ts'
import { manifests, may, pathTo, triggerTitle, useConnections, usePages } from '../../api/index.ts'
import type { Manifest } from '../../api/index.ts'
import { Empty, Filters, List, Page, personColumns, personFilter, Sentence, Time, useAddress } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { AgentLink } from '../agents/words.tsx'
import { Picker } from '../picker/picker.tsx'
import type { PickEntry } from '../picker/picker.tsx'
import { badgesOf, stateChoices, StateBadge } from './words.tsx'

const entriesOf = ({ id, title, icon, triggers }: Manifest): PickEntry[] =>
  triggers.map((trigger) => ({
    integration: id,
    id: trigger.id,
    href: pathTo('triggers', id, trigger.id, 'attach'),
    section: { title, icon: icon.light },
    group: trigger.instant ? 'Instant' : 'Polling',
    title: trigger.title,
    purpose: trigger.purpose,
    icon: trigger.icon,
    badges: badgesOf(trigger),
    facets: { integration: [id], delivery: trigger.delivery },
  }))

const columnsOf = (nameOf: (id: string) => string, rows: Subscription[]): Column<Subscription>[] => [
  {
    title: 'Trigger',
    cell: (subscription) => (
      <a href={pathTo('subscriptions', subscription.id)}>
        <Sentence of={subscription.summary} otherwise={triggerTitle(subscription)} />
      </a>
    ),
  },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'Connection', cell: ({ connection }) => nameOf(connection) },
  ...personColumns(rows),
  { title: 'Agent', cell: ({ agent }) => <AgentLink agent={agent} /> },
  { title: 'Attached', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
]

const Attached = () => {
  const { state, trigger, person } = useAddress().query
  const list = usePages<Subscription>('subscriptions', { state, trigger, person })
  const { nameOf } = useConnections()
  return (
    <div class="tr-attached">
      <h2>Attached triggers</h2>
      <Filters
        label="Attached triggers"
        filters={[
          { name: 'state', label: 'State', options: stateChoices },
          {
            name: 'trigger',
            label: 'Trigger',
            options: manifests.value.flatMap(({ triggers }) =>
              triggers.map(({ id, title }): [string, string] => [id, title]),
            ),
          },
          personFilter,
        ]}
      />
      <List
        list={list}
        what="Attached triggers"
        columns={columnsOf(nameOf, list.items)}
        empty={
          state !== undefined || trigger !== undefined || person !== undefined ? (
            <Empty picture="search" title="No attached trigger matches the filters" />
          ) : (
            <Empty picture="flow" title="No trigger is attached yet">
              <p>Choose one below. From then on its events start your agent.</p>
            </Empty>
          )
        }
      />
    </div>
  )
}

const deliveries: [string, string][] = [
  ['webhook', 'Instant'],
  ['poll', 'Polling'],
]

const Triggers = () => {
  const withTriggers = manifests.value.filter(({ triggers }) => triggers.length > 0)
  const filters = [
    {
      name: 'integration',
      label: 'Integration',
      choices: withTriggers.map(({ id, title }): [string, string] => [id, title]),
    },
    { name: 'delivery', label: 'Delivery', choices: deliveries },
  ]
  return (
    <Page title="Triggers">
      <Attached />
      {may('subscriptions') ? (
        <Picker
          kind="trigger"
          names={['trigger', 'triggers']}
          entries={withTriggers.flatMap(entriesOf)}
          filters={filters}
        />
      ) : (
        <p class="note">This token may not attach triggers. Sign in with one that has the scope subscriptions.</p>
      )}
    </Page>
  )
}

export default Triggers
