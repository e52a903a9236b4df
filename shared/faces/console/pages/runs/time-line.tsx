import type { RunDetail } from '../../../../api/resources/run.ts'
import { Badge, formatDuration, Time } from '../../ui/index.ts'

type Exchange = RunDetail['exchanges'][number]

/** Failures with a label and a colour of their own. */
const refusals: Record<string, string> = { rate_limited: 'rate limit used up' }

const toneOf = ({ status, code }: Exchange) => {
  if (code !== null && refusals[code]) return 'warn' as const
  return code !== null || (status ?? 200) >= 400 ? ('bad' as const) : ('good' as const)
}
const answerOf = ({ status, code }: Exchange) => {
  const refusal = code === null ? undefined : refusals[code]
  if (refusal) return `${status ?? ''} ${refusal}`.trim()
  if (status !== null) return String(status)
  return code === null ? 'answered' : `no answer: ${code.replaceAll('_', ' ')}`
}

const legend = [
  ['waiting', 'waiting'],
  ['good', 'answered'],
  ['warn', 'refused by the rate limit'],
  ['bad', 'failed'],
]

/** Position and width of a bar in the run's time span, in percent; never too narrow to be seen. */
const place = (from: number, ms: number, whole: number) => {
  const width = Math.max((ms / whole) * 100, 0.7)
  return { left: `${Math.min((from / whole) * 100, 100 - width)}%`, width: `${width}%` }
}

/** Each attempt and the wait before it. The bars only repeat what the text says. */
export const TimeLine = ({ run }: { run: RunDetail }) => {
  const { exchanges, attempts, createdAt, durationMs } = run
  const began = Date.parse(createdAt)
  const startOf = ({ at }: Exchange) => Date.parse(at) - began
  const whole = Math.max(1, durationMs, ...exchanges.map((exchange) => startOf(exchange) + exchange.durationMs))
  if (exchanges.length === 0)
    return (
      <p class="muted">
        {attempts > 0
          ? 'The requests of this run are no longer stored, or were not yet when it ran.'
          : 'Nothing was sent to the provider.'}
      </p>
    )
  return (
    <>
      <ul class="muted row legend">
        {legend.map(([name, title]) => (
          <li key={name}>
            <span class={`mark ${name}`} /> {title}
          </li>
        ))}
      </ul>
      <ol class="time-line">
        {exchanges.map((exchange, index) => (
          <li key={index}>
            <p class="row">
              <code>
                {exchange.method === null ? 'A request to the provider' : `${exchange.method} ${exchange.path}`}
              </code>
              <Badge tone={toneOf(exchange)}>{answerOf(exchange)}</Badge>
              <span class="muted">
                <Time at={exchange.at} />
                {exchange.waitedMs > 0 && `, waited ${formatDuration(exchange.waitedMs)}`}, took{' '}
                {formatDuration(exchange.durationMs)}
              </span>
            </p>
            <div class="track" aria-hidden="true">
              {exchange.waitedMs > 0 && (
                <span
                  class="waiting"
                  style={place(Math.max(0, startOf(exchange) - exchange.waitedMs), exchange.waitedMs, whole)}
                />
              )}
              <span class={toneOf(exchange)} style={place(startOf(exchange), exchange.durationMs, whole)} />
            </div>
          </li>
        ))}
      </ol>
      {attempts > exchanges.length && (
        <p class="muted">
          These are the first {exchanges.length - 1} attempts and the last of {attempts}.
        </p>
      )}
    </>
  )
}
