import { asText } from './as-text.ts'
import * as z from 'zod'
import type { Normalised } from './normalise/normalised.ts'

/** A text field that is normalised when parsed; a value that the normaliser refuses fails with its reason. */
export const normalisedText = (normalise: (input: unknown) => Normalised) =>
  z.string().check((payload) => {
    const read = normalise(payload.value)
    if (read.ok) payload.value = read.value
    else payload.issues.push({ code: 'custom', input: payload.value, message: read.reason })
  })

/** Free text of at most 200 characters, trimmed. */
export const words = (title: string, description: string) =>
  z
    .string()
    .trim()
    .min(1, { error: `${title} is empty. Give a value or leave it out.` })
    .max(200)
    .meta({ title, description })

/** A credential in the `secrets` of a connection type. */
export const secretText = (title: string, description: string) => z.string().trim().min(1).meta({ title, description })

/** Counts UTF-16 units, as JavaScript and most providers do; other counters take an emoji for one character. */
const describeTooLong = (title: string, text: string, { max, by }: { max: number; by: string }) => {
  const counted = [...text].length === text.length ? '' : ` as ${by} counts them, an emoji as two or more`
  return `${title} is ${text.length} characters long${counted}; ${by} takes at most ${max}.`
}

/**
 * Text of `min` (default 0) to `max` characters, sent unchanged. `by` says in messages who sets the bound; default:
 * "the provider".
 */
export const boundedText = (
  title: string,
  description: string,
  { min = 0, max, by = 'the provider' }: { min?: number; max: number; by?: string },
) =>
  z
    .string()
    .max(max, { abort: true, error: (issue) => describeTooLong(title, String(issue.input), { max, by }) })
    // The bound above counts code points, as JSON Schema does.
    .refine((text) => text.length <= max, {
      error: (issue) => describeTooLong(title, String(issue.input), { max, by }),
    })
    .min(min, { error: `${title} is empty; ${by} wants at least ${min} character${min === 1 ? '' : 's'}.` })
    .meta({ title, description })

/**
 * A field for `container` of a step, or for `within` of a trigger: callers may leave it out, and the runtime fills it in
 * before anything uses it.
 */
export const orDefault = <T extends z.ZodType>(schema: T) =>
  schema.optional() as unknown as z.ZodType<z.output<T>, z.input<T> | undefined>

export const flag = (title: string, description: string) => z.boolean().meta({ title, description })

export const webAddress = (title: string, description: string) =>
  z
    .url({
      protocol: /^https?$/,
      error: (issue) =>
        `"${asText(issue.input).slice(0, 60)}" is not a web address that starts with http:// or https://.`,
    })
    .meta({ title, description })

const momentRemedy = 'Give date, time and zone, such as 2026-03-31T17:00:00Z or 2026-03-31T17:00:00+11:00.'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Names a day or month that does not exist, the likelier mistake in a text that is otherwise a full date. */
const describeWrongMoment = (text: string) => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/.exec(text) ?? []
  const name = months[Number(month) - 1]
  if (day !== undefined && name === undefined) return `There is no month ${month}. ${momentRemedy}`
  if (
    day !== undefined &&
    (Number(day) < 1 || Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate())
  )
    return `${name} ${year} has no day ${Number(day)}. ${momentRemedy}`
  return `"${text.slice(0, 60)}" is not a full ISO 8601 date with time and zone. ${momentRemedy}`
}

/** A moment with its time zone: without one, each provider would read it in a zone of its own choice. */
export const moment = (title: string, description: string) =>
  z.iso.datetime({ offset: true, error: (issue) => describeWrongMoment(asText(issue.input)) }).meta({
    title,
    description,
    agentDescription: `${description} ISO 8601 with zone, such as 2026-03-31T17:00:00+11:00.`,
  })
