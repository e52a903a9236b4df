/** How an agent answered each attempt of a start, and the waits between attempts. */
import type { StartDetail } from '../../../../api/resources/start.ts'
import { formatDuration, Time } from '../../ui/index.ts'
import { meaningOf } from './words.tsx'

type Answer = StartDetail['answers'][number]
const isAccepted = ({ status }: Answer) => status !== null && ((status >= 200 && status < 300) || status === 409)
const waitOf = ({ at, nextAt }: Answer) =>
  nextAt === null ? undefined : Math.max(0, Date.parse(nextAt) - Date.parse(at))

const Attempt = ({ answer, number }: { answer: Answer; number: number }) => {
  const wait = waitOf(answer)
  return (
    <li class={isAccepted(answer) ? '' : 'failed'}>
      <p>
        Attempt {number}, <Time at={answer.at} />: {answer.status === null ? 'no answer' : `answered ${answer.status}`}{' '}
        after {formatDuration(answer.durationMs)}
      </p>
      {answer.message !== null && <p class="muted">{answer.message}</p>}
      {wait !== undefined && (
        <p class="muted">
          Then a wait of {formatDuration(wait)}, until <Time at={answer.nextAt} />.
        </p>
      )}
    </li>
  )
}

export const Attempts = ({ start }: { start: Pick<StartDetail, 'answers' | 'state' | 'dueAt'> }) => (
  <ol class="timeline">
    {start.answers.map((answer, at) => (
      <Attempt key={`${answer.at} ${at}`} answer={answer} number={at + 1} />
    ))}
    {start.state !== 'done' && (
      <li class={start.state === 'dead' || start.state === 'missed' ? 'failed' : 'open'}>
        <p>
          {meaningOf(start.state)}
          {start.state === 'pending' && start.dueAt !== null && (
            <>
              {' '}
              Next attempt: <Time at={start.dueAt} />.
            </>
          )}
        </p>
      </li>
    )}
  </ol>
)
