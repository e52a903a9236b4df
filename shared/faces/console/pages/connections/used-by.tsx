import type { ConnectionUsage } from '../../../../api/resources/connection-report.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { pathTo } from '../../api/root.ts'
import { triggerOf } from '../../api/server.ts'
import type { ApiState, Pages } from '../../api/use-api.ts'
import { Badge, Button, Facts } from '../../ui/basics.tsx'
import { Loading, ProblemBox } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

export type Uses = { subscriptions: Pages<Subscription>; usage: ApiState<ConnectionUsage> }

export const titleOf = ({ integration, trigger }: Subscription) => triggerOf(integration, trigger)?.title ?? trigger

const Last = ({ run, said }: { run: { runId: string; step: string; at: string }; said?: string | null }) => (
  <>
    <a href={pathTo('runs', run.runId)}>{run.step}</a>, <Time at={run.at} relative />
    {said && <>: {said}</>}
  </>
)

/** The subscriptions that use this connection, and how its last runs ended. */
export const UsedBy = ({ subscriptions, usage }: Uses) => (
  <section class="panel" aria-labelledby="used-by">
    <h2 id="used-by">Used by</h2>
    {subscriptions.problem && <ProblemBox problem={subscriptions.problem} retry={subscriptions.reload} />}
    {usage.problem && <ProblemBox problem={usage.problem} retry={usage.reload} />}
    {(!usage.data || subscriptions.loading) && !usage.problem && <Loading what="triggers and tokens" />}
    <h3>Triggers</h3>
    {subscriptions.items.length === 0 && !subscriptions.loading && <p class="muted">No trigger uses it.</p>}
    <ul>
      {subscriptions.items.map((row) => (
        <li key={row.id}>
          <a href={pathTo('subscriptions', row.id)}>{titleOf(row)}</a>{' '}
          {row.state !== 'active' && <Badge tone="warn">{row.state.replaceAll('_', ' ')}</Badge>}
        </li>
      ))}
    </ul>
    {subscriptions.hasMore && <Button onClick={subscriptions.loadMore}>Show more</Button>}
    {usage.data && (
      <>
        <h3>Tokens bound to it</h3>
        {usage.data.tokens.length === 0 && (
          <p class="muted">None. Tokens that are not bound to connections can use it.</p>
        )}
        <ul>
          {usage.data.tokens.map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
        </ul>
        <h3>Runs</h3>
        <Facts
          facts={[
            ['Last success', usage.data.lastSuccess ? <Last run={usage.data.lastSuccess} /> : 'none yet'],
            [
              'Last error',
              usage.data.lastError ? <Last run={usage.data.lastError} said={usage.data.lastError.message} /> : 'none',
            ],
          ]}
        />
      </>
    )}
  </section>
)
