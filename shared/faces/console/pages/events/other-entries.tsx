/** What is listed between the events: gaps, and deliveries that could not be decoded. */
import { useEffect, useState } from 'preact/hooks'
import type { Gap } from '../../../../api/resources/gap.ts'
import type { Undecodable } from '../../../../api/resources/event.ts'
import { streamState, useItems } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Badge, Dialog, Facts, Time } from '../../ui/index.ts'

/** Gaps and undecodable deliveries are rare and not in the stream, so they are polled. */
const rereadMs = 10_000

export type Other = { id: string; time: string } & (
  | { gap: Gap; undecodable?: undefined }
  | { undecodable: Undecodable; gap?: undefined }
)
type OtherEntriesFilter = {
  connection?: string | undefined
  hook?: string | undefined
  hasUndecodable: boolean
  isPaused: boolean
}

/** The gaps and undecodable deliveries of the given connection and hook. */
export const useOtherEntries = ({
  connection,
  hook,
  hasUndecodable,
  isPaused,
}: OtherEntriesFilter): { otherEntries: Other[]; problem: Problem | undefined } => {
  const gaps = useItems<Gap>('gaps', { connection })
  const undecodable = useItems<Undecodable>(hasUndecodable ? 'undecodable' : undefined)
  const isLive = streamState.value === 'live'
  useEffect(() => {
    if (isPaused || !isLive) return undefined
    const timer = setInterval(() => {
      if (document.hidden) return
      gaps.reload()
      undecodable.reload()
    }, rereadMs)
    return () => clearInterval(timer)
  }, [isPaused, isLive])
  const otherEntries = [
    ...(hook === undefined ? gaps.items : []).map((gap) => ({ id: gap.id, time: gap.to, gap })),
    ...undecodable.items
      .filter(
        (delivery) =>
          (connection === undefined || delivery.connection === connection) &&
          (hook === undefined || delivery.hook === hook),
      )
      .map((delivery) => ({ id: delivery.id, time: delivery.createdAt, undecodable: delivery })),
  ]
  return { otherEntries, problem: gaps.problem ?? undecodable.problem }
}

const Details = ({ other, nameOf, onClose }: { other: Other; nameOf(connection: string): string; onClose(): void }) =>
  other.gap ? (
    <Dialog title="A gap in the events" onClose={onClose}>
      <p>Events of this period could not be recovered from the provider and started no agent.</p>
      <Facts
        facts={[
          ['From', <Time at={other.gap.from} />],
          ['To', <Time at={other.gap.to} />],
          ['Connection', nameOf(other.gap.connection)],
          ['Watched', other.gap.model],
          ['What is missing', other.gap.kind],
          ['Reason', other.gap.reason],
        ]}
      />
    </Dialog>
  ) : (
    <Dialog title="A delivery that could not be decoded" onClose={onClose}>
      <p>
        Its signature is valid, but its content could not be read as an event, so it started nothing. Please report it
        with the reason below.
      </p>
      <Facts
        facts={[
          ['Reason', other.undecodable.reason],
          ['Received', <Time at={other.undecodable.createdAt} />],
          ['Connection', nameOf(other.undecodable.connection)],
          ['Hook', other.undecodable.hook],
        ]}
      />
      {other.undecodable.text === null ? (
        <p class="muted">Its content was deleted after the retention period.</p>
      ) : (
        <pre tabIndex={0} aria-label="Content of the delivery">
          {other.undecodable.text}
        </pre>
      )}
    </Dialog>
  )

/** One row between the events, with its details on request. */
export const OtherRow = ({ other, nameOf }: { other: Other; nameOf(connection: string): string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="other-row" onClick={() => setOpen(true)}>
        {other.gap ? <Badge tone="warn">Gap</Badge> : <Badge tone="bad">Undecodable</Badge>}{' '}
        {other.gap ? (
          <>
            <Time at={other.gap.from} /> to <Time at={other.gap.to} />: {other.gap.reason}
          </>
        ) : (
          <>
            <Time at={other.time} />: {other.undecodable.reason}
          </>
        )}
      </button>
      {isOpen && <Details other={other} nameOf={nameOf} onClose={() => setOpen(false)} />}
    </>
  )
}
