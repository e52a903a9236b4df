/** One end user of the platform: what they spent, what they may spend, their accounts, programs and runs. */
import { useRoute } from 'preact-iso/router'
import type { Grant } from '../../../../api/resources/grant.ts'
import type { Person as PersonRow } from '../../../../api/resources/person.ts'
import type { Run } from '../../../../api/resources/run.ts'
import { integrationTitle, isUnbound, may, pathTo, stepTitle, useApi, useItems } from '../../api/index.ts'
import { Badge, Page, Panel, ProblemBox, Sentence, Table, Time, WhenLoaded } from '../../ui/index.ts'
import { StateBadge as ConnectionBadge } from '../connections/state.tsx'
import { nameOf as programName } from '../programs/words.ts'
import { creditsOf, StateBadge } from '../runs/words.tsx'
import { Budgets } from '../usage/budgets.tsx'
import { NewBudgetButton } from '../usage/new-budget.tsx'
import { Spending } from '../usage/spending.tsx'

const Connections = ({ connections }: Pick<PersonRow, 'connections'>) => (
  <Panel title="Connections">
    {connections.length === 0 && <p>None of their own: their calls use those of the workspace.</p>}
    <ul>
      {connections.map(({ id, name, integration, state, isDefault }) => (
        <li key={id}>
          <a href={pathTo('connections', id)}>{name}</a> at {integrationTitle(integration)}{' '}
          {state !== 'connected' && <ConnectionBadge state={state} />} {isDefault && <Badge tone="info">Default</Badge>}
        </li>
      ))}
    </ul>
  </Panel>
)

const Programs = ({ id }: { id: string }) => {
  const { items, problem, loading } = useItems<Grant>('grants', { person: id })
  return (
    <Panel title="Programs they let in">
      <ProblemBox problem={problem} />
      {!loading && items.length === 0 && <p>None.</p>}
      <ul>
        {items.map((grant) => (
          <li key={grant.id}>
            <a href={pathTo('programs')}>{programName(grant)}</a>,{' '}
            {grant.lastUsedAt === null ? (
              'never used'
            ) : (
              <>
                last used <Time at={grant.lastUsedAt} relative />
              </>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const Runs = ({ id }: { id: string }) => {
  const { items, problem, loading } = useItems<Run>('runs', { person: id, limit: 10 })
  return (
    <Panel title="Latest runs">
      <ProblemBox problem={problem} />
      {!loading && items.length === 0 && <p>None yet.</p>}
      {items.length > 0 && (
        <>
          <Table
            caption="Latest runs"
            rows={items}
            columns={[
              {
                title: 'What',
                cell: (run) => (
                  <a href={pathTo('runs', run.id)}>
                    <Sentence of={run.summary} otherwise={stepTitle(run.integration, run.step)} />
                  </a>
                ),
              },
              { title: 'Outcome', cell: (run) => <StateBadge run={run} /> },
              { title: 'Credits', number: true, cell: (run) => creditsOf(run) ?? '–' },
              { title: 'When', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
            ]}
          />
          <p>
            <a href={`${pathTo('runs')}?${new URLSearchParams({ person: id })}`}>All their runs</a>
          </p>
        </>
      )}
    </Panel>
  )
}

const Person = () => {
  const id = useRoute().params['id'] ?? ''
  const loaded = useApi<PersonRow>(`people/${encodeURIComponent(id)}`)
  return (
    <Page title={id} list="people">
      <WhenLoaded of={loaded} what="the person">
        {({ budgets, connections }) => (
          <>
            <Spending key={id} person={id} />
            <Panel title="Limits">
              {budgets.length === 0 && <p>No budget limits what they spend.</p>}
              {budgets.length > 0 && <Budgets budgets={budgets} changed={loaded.reload} />}
              {isUnbound() && may('connections') && (
                <NewBudgetButton draft={{ scope: 'person', subject: id }} made={loaded.reload} />
              )}
            </Panel>
            <div class="columns">
              <Connections connections={connections} />
              <Programs id={id} />
            </div>
            <Runs id={id} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Person
