import { useEffect } from 'preact/hooks'
import type { ConnectionLimits } from '../../../../api/resources/connection-report.ts'
import { useApi } from '../../api/index.ts'
import { Badge, formatDuration, WhenLoaded, Panel, Time } from '../../ui/index.ts'

type Window = ConnectionLimits['windows'][number]

const everyMs = 2_000

const counted: Record<Window['per'], string> = {
  connection: 'This connection',
  app: 'Everything that uses the same app',
  route: 'One group of paths',
}

const Meter = ({ per, route, limit, windowMs, used, remaining, resetsAt, pausedUntil }: Window) => {
  const name = route === null ? counted[per] : `Calls to ${route}`
  const span = windowMs === null ? '' : ` in ${formatDuration(windowMs)}`
  return (
    <li>
      <div class="row">
        <strong>{name}</strong>
        {pausedUntil !== null && (
          <Badge tone="warn">
            paused until <Time at={pausedUntil} />
          </Badge>
        )}
      </div>
      {limit !== null && (
        <>
          <meter
            aria-label={name}
            min={0}
            max={limit}
            high={limit * 0.8}
            optimum={0}
            value={limit - (remaining ?? limit)}
          />
          <p class="muted">
            {used === null
              ? `Up to ${limit} calls${span}; none sent recently.`
              : `${used} of ${limit} calls${span} used, ${remaining ?? 0} left.`}
            {resetsAt !== null && (
              <>
                {' '}
                Free again <Time at={resetsAt} />.
              </>
            )}
          </p>
        </>
      )}
      {limit === null && <p class="muted">The provider asked to pause; its limit is not known.</p>}
    </li>
  )
}

const Breaker = ({ state, until }: ConnectionLimits['breaker']) =>
  state === 'closed' ? null : (
    <div class="cn-note warn" role="status">
      <p>
        Most calls fail at the provider, so none are sent {until === null ? 'for a moment' : 'until '}
        {until !== null && <Time at={until} />}. Then one call is tried. Nothing is wrong with this connection: wait, or
        check the provider’s status page.
      </p>
    </div>
  )

/** The remaining quota of the provider's rate limits, reloaded while the page is visible. */
export const Limits = ({ id }: { id: string }) => {
  const limits = useApi<ConnectionLimits>(`connections/${encodeURIComponent(id)}/limits`)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') limits.reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <Panel title="Rate limits" label="Rate limits">
      <WhenLoaded of={limits} what="the limits">
        {({ windows, breaker, queue: { running, concurrency, waiting } }) => (
          <>
            <Breaker {...breaker} />
            {windows.length === 0 && <p>The limits of this provider are not known.</p>}
            <ul class="cn-meters">
              {windows.map((window, index) => (
                <Meter key={index} {...window} />
              ))}
            </ul>
            <p class="muted">
              {running} of {concurrency} calls in progress, {waiting} waiting. As counted by this server.
            </p>
          </>
        )}
      </WhenLoaded>
    </Panel>
  )
}
