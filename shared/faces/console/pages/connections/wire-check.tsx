import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { WireCheck as Checked } from '../../../../api/resources/wire-check.ts'
import { post, useAction, useKey } from '../../api/index.ts'
import type { Manifest } from '../../api/index.ts'
import { badgeOf, Button, ConfirmButton, Panel, plural, ProblemBox, Table } from '../../ui/index.ts'
import { pathOf } from './actions.tsx'

const ResultBadge = badgeOf<Checked['endpoints'][number]['state']>({
  ok: { title: 'Works', tone: 'good' },
  wrong: { title: 'Does not work', tone: 'bad' },
  untried: { title: 'Not tried', tone: 'neutral' },
})

const Results = ({ endpoints }: Checked) => (
  <Table
    caption="Endpoints of the wire profile"
    rows={endpoints}
    keyOf={({ endpoint }) => endpoint}
    columns={[
      { title: 'Endpoint', cell: ({ endpoint }) => endpoint },
      { title: 'Result', cell: ({ state }) => <ResultBadge state={state} /> },
      { title: 'What was found', cell: ({ says }) => says },
    ]}
  />
)

/** Whether the integration's steps go through endpoints of its wire profile, as those with a cost do. */
export const hasEndpoints = (manifest: Manifest | undefined) => manifest?.steps.some(({ cost }) => cost !== null)

/**
 * Tests the wire profile's endpoints: the free ones first, and after a separate confirmation those that cost credits.
 */
export const WireCheck = ({ row }: { row: Connection }) => {
  const [checked, setChecked] = useState<Checked>()
  const key = useKey()
  const check = async (spend: boolean) => {
    setChecked(
      await post<Checked>(`${pathOf(row)}/wire-check`, spend ? { spend } : {}, { headers: key.of([row.id, spend]) }),
    )
    key.forget()
  }
  const free = useAction(() => check(false))
  const untried = checked?.endpoints.filter(({ state }) => state === 'untried') ?? []
  const credits = untried.reduce((sum, endpoint) => sum + (endpoint.credits ?? 0), 0)
  const price = plural(credits, 'credit')
  return (
    <Panel title="Wire check" label="Wire check">
      <p class="muted">
        Tries each endpoint of the wire profile with free requests and shows what the provider answered.
      </p>
      <ProblemBox problem={free.problem} />
      {checked && checked.endpoints.length > 0 && <Results {...checked} />}
      {checked?.endpoints.length === 0 && (
        <p role="status">The wire profile “{checked.profile}” has no endpoints to try.</p>
      )}
      <p class="row">
        <Button action={free}>Check free endpoints</Button>
        {credits > 0 && (
          <ConfirmButton
            label={`Check paid endpoints for up to ${price}`}
            kind="plain"
            title="Spend credits on a check?"
            confirm={`Spend up to ${price}`}
            act={() => check(true)}
          >
            <p>
              The endpoints that were not tried are sent one request each. The provider may charge up to {price} for
              them.
            </p>
          </ConfirmButton>
        )}
      </p>
    </Panel>
  )
}
