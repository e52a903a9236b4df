/** Replays starts. */
import { useState } from 'preact/hooks'
import { post, problemOf } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Button, Dialog, ProblemBox } from '../../ui/index.ts'

type Failed = { id: string; problem: Problem }
const atOnce = 4

/** Replays each start and returns those that could not be replayed. */
const replayAll = async (ids: string[], force: boolean, onDone: (done: number) => void): Promise<Failed[]> => {
  const failed: Failed[] = []
  let next = 0
  let done = 0
  const work = async () => {
    while (next < ids.length) {
      const id = ids[next++]!
      try {
        await post(`starts/${encodeURIComponent(id)}/replay`, { force })
      } catch (thrown) {
        failed.push({ id, problem: problemOf(thrown) })
      }
      onDone((done += 1))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return failed
}

/**
 * Asks how to replay, replays the starts, and lists those that could not be. `onSent` is called with the number of
 * replayed starts.
 */
export const ReplayDialog = ({
  ids,
  onClose,
  onSent,
}: {
  ids: string[]
  onClose(): void
  onSent(count: number): void
}) => {
  const [force, setForce] = useState(false)
  const [done, setDone] = useState<number>()
  const [failed, setFailed] = useState<Failed[]>()
  const send = async () => {
    setDone(0)
    const without = await replayAll(ids, force, setDone)
    setFailed(without)
    onSent(ids.length - without.length)
    if (without.length === 0) onClose()
  }
  const what = ids.length === 1 ? 'this start' : `${ids.length} starts`
  return (
    <Dialog title={`Replay ${what}`} onClose={onClose}>
      {failed === undefined ? (
        <>
          <p>
            The agent is called again with the same data. The start keeps its key, so an agent that has already done the
            work can answer 409.
          </p>
          <p>
            <label class="row">
              <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} /> With
              a new key
            </label>
            <span class="muted">The agent sees a new start and does the work again, even if it is already done.</span>
          </p>
          <footer class="row">
            <Button kind="primary" busy={done !== undefined} onClick={() => void send()}>
              Replay {what}
            </Button>
            <Button onClick={onClose}>Cancel</Button>
            {done !== undefined && ids.length > 1 && (
              <span role="status">
                {done} of {ids.length}
              </span>
            )}
          </footer>
        </>
      ) : (
        <>
          <p>
            {ids.length - failed.length} of {ids.length} were replayed. These were not:
          </p>
          {failed.slice(0, 5).map(({ id, problem }) => (
            <ProblemBox key={id} problem={problem} />
          ))}
          {failed.length > 5 && <p>And {failed.length - 5} more.</p>}
          <Button onClick={onClose}>Close</Button>
        </>
      )}
    </Dialog>
  )
}
