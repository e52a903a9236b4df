import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { WireCheck as Checked } from '../../../../api/resources/wire-check.ts'
import { post } from '../../api/client.ts'
import { useKey } from '../../api/use-key.ts'
import type { Manifest } from '../../api/server.ts'
import { useAction } from '../../api/use-api.ts'
import { Badge, Button } from '../../ui/basics.tsx'
import type { Tone } from '../../ui/basics.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { ProblemBox } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { pathOf } from './actions.tsx'

type State = Checked['endpoints'][number]['state']

const tones: Record<State, [Tone, string]> = {
  ok: ['good', 'Works'],
  wrong: ['bad', 'Does not work'],
  untried: ['neutral', 'Not tried'],
}

const Results = ({ endpoints }: Checked) => (
  <Table
    caption="Endpoints of the wire profile"
    rows={endpoints}
    keyOf={({ endpoint }) => endpoint}
    columns={[
      { title: 'Endpoint', cell: ({ endpoint }) => endpoint },
      { title: 'Result', cell: ({ state }) => <Badge tone={tones[state][0]}>{tones[state][1]}</Badge> },
      { title: 'What was found', cell: ({ says }) => says },
    ]}
  />
)

/**
 * Whether the operator chooses or overrides the integration's wire profile; such integrations have steps that cost
 * credits.
 */
export const hasEndpoints = (manifest: Manifest | undefined) =>
  manifest?.steps.some(({ badges }) => badges.includes('credits')) ?? false

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
  const credits =
    checked?.endpoints.reduce(
      (sum, endpoint) => sum + (endpoint.state === 'untried' ? (endpoint.credits ?? 0) : 0),
      0,
    ) ?? 0
  return (
    <section class="panel" aria-labelledby="wire-check">
      <h2 id="wire-check">Wire check</h2>
      <p class="muted">
        Tries each endpoint of the wire profile with free requests and shows what the provider answered.
      </p>
      {free.problem && <ProblemBox problem={free.problem} />}
      {checked && checked.endpoints.length > 0 && <Results {...checked} />}
      {checked?.endpoints.length === 0 && (
        <p role="status">The wire profile “{checked.profile}” has no endpoints to try.</p>
      )}
      <p class="row">
        <Button busy={free.busy} onClick={() => void free.run()}>
          Check free endpoints
        </Button>
        {credits > 0 && (
          <ConfirmButton
            label={`Check paid endpoints for up to ${credits} ${credits === 1 ? 'credit' : 'credits'}`}
            kind="plain"
            title="Spend credits on a check?"
            confirm={`Spend up to ${credits} ${credits === 1 ? 'credit' : 'credits'}`}
            act={() => check(true)}
          >
            <p>
              The endpoints that were not tried are sent one request each. The provider may charge up to {credits}{' '}
              {credits === 1 ? 'credit' : 'credits'} for them.
            </p>
          </ConfirmButton>
        )}
      </p>
    </section>
  )
}
