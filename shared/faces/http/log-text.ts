import { styleText } from 'node:util'
import { oneLine, visible } from '#kit'

type LogLine = { level: string; time: string; event: string } & Record<string, unknown>

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const

/** A value on one line, without terminal control characters: ids and reasons may come from outside. */
const valueOf = (value: unknown): string => {
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(value))
  return typeof value === 'string' && (text === '' || /[\s"=]/.test(text)) ? JSON.stringify(text) : text
}

const pairs = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${valueOf(value)}`)
    .join(' ')

const requestOf = ({
  method,
  route,
  status,
  durationMs,
  request: _,
  ...otherFields
}: Record<string, unknown>): string =>
  `${method} ${route ?? '(unknown address)'} ${status} ${durationMs} ms ${pairs(otherFields)}`

/** One readable log line: local time, level, event, details. The stack of a defect follows on its own lines. */
export const textOf = (json: string, color: boolean): string => {
  const { level, time, event, stack, ...fields } = JSON.parse(json) as LogLine
  const at = new Date(time)
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
  const name = level.toUpperCase().padEnd(5)
  const painted = color
    ? styleText(colors[level as keyof typeof colors] ?? 'gray', name, { validateStream: false })
    : name
  const what = event === 'request' ? requestOf(fields) : `${event} ${pairs(fields)}`
  const trace = typeof stack === 'string' ? `\n${visible(stack)}` : ''
  return `${clock} ${painted} ${what.trim()}${trace}\n`
}
