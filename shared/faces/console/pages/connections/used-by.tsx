import type { ConnectionUsage } from '../../../../api/resources/connection-report.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { pathTo, stepTitle, triggerTitle } from '../../api/index.ts'
import type { Pages, ApiState } from '../../api/index.ts'
import { Button, Facts, WhenLoaded, Loading, Panel, ProblemBox, Sentence, Time, withoutIds } from '../../ui/index.ts'
import { StateBadge as SubscriptionBadge } from '../triggers/words.tsx'

export type Uses = { subscriptions: Pages<Subscription>; usage: ApiState<ConnectionUsage> }

type LastProps = { integration: string; run: { runId: string; step: string; at: string }; said?: string | null }
const Last = ({ integration, run, said }: LastProps) => (
  <>
    <a href={pathTo('runs', run.runId)}>{stepTitle(integration, run.step)}</a>, <Time at={run.at} relative />
    {said && <>: {withoutIds(said)}</>}
  </>
)

/** The subscriptions that use this connection, and how its last runs ended. */
export const UsedBy = ({ subscriptions, usage, integration }: Uses & { integration: string }) => (
  <Panel title="Used by" label="Used by">
    <ProblemBox problem={subscriptions.problem} retry={subscriptions.reload} />
    {subscriptions.loading && <Loading what="triggers" />}
    <h3>Triggers</h3>
    {subscriptions.items.length === 0 && !subscriptions.loading && <p class="muted">No trigger uses it.</p>}
    <ul>
      {subscriptions.items.map((row) => (
        <li key={row.id}>
          <a href={pathTo('subscriptions', row.id)}>
            <Sentence of={row.summary} otherwise={triggerTitle(row)} />
          </a>{' '}
          {row.state !== 'active' && <SubscriptionBadge state={row.state} />}
        </li>
      ))}
    </ul>
    {subscriptions.hasMore && <Button onClick={subscriptions.loadMore}>Show more</Button>}
    <WhenLoaded of={usage} what="tokens and runs">
      {({ tokens, lastSuccess, lastError }) => (
        <>
          <h3>Tokens bound to it</h3>
          {tokens.length === 0 && <p class="muted">None. Tokens that are not bound to connections can use it.</p>}
          <ul>
            {tokens.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
          <h3>Runs</h3>
          <Facts
            facts={[
              ['Last success', lastSuccess ? <Last integration={integration} run={lastSuccess} /> : 'none yet'],
              [
                'Last error',
                lastError ? <Last integration={integration} run={lastError} said={lastError.message} /> : 'none',
              ],
            ]}
          />
        </>
      )}
    </WhenLoaded>
  </Panel>
)
