import { defineEvents, say, subjectPart, valueAt, z } from '#kit'
import type { EventKind, Fact, Json } from '#kit'
import { hooks, kindOf } from './hooks.ts'
import { companySignals, contactSignals } from './profiles/lusha-v3-signals.ts'

/** What a signal adds to an event. `details`: the provider's own fields. */
export type Signal = { details: { [name: string]: Json } }

const delivered = () =>
  z.object({
    id: z.string().min(1),
    entityType: z.enum(['contact', 'company']),
    entityId: z.string().min(1),
    timestamp: z.string(),
    data: z.looseObject({}),
    billing: z.object({ creditsCharged: z.number().nonnegative() }).nullish(),
  })

const companyName = (data: object) => {
  const name = valueAt(data, 'companyName')
  return typeof name === 'string' && name !== '' ? { name } : {}
}

const read = (item: unknown): Fact & Signal => {
  const { id, entityType, entityId, timestamp, data, billing } = delivered().parse(item)
  const kind = kindOf[entityType]!
  const subject = { kind, id: entityId, ...(kind === 'company' ? companyName(data) : {}) }
  return {
    id,
    at: timestamp,
    own: false,
    subject,
    container: subject,
    details: data as Signal['details'],
    charge: billing?.creditsCharged,
  }
}

const whyLost = 'The provider lists past signals only by day, without delivery ids, and charges for them again.'

const contactWords: { [type: string]: string } = {
  promotion: 'was promoted',
  companyChange: 'works for another company',
}

/** The provider's name of a type in words, such as "surge in hiring by department". */
export const typeInWords = (type: string): string =>
  type
    .replace(/^linkedin/, '')
    .replace(/(\d{1,2})m$/, ' over $1 months')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/ over 1 months$/, ' over 1 month')
    .toLowerCase()
    .replace(/^it spend/, 'IT spend')

const contactKind = (type: string): EventKind<Signal> => ({
  history: null,
  whyLost,
  sentence: (event, names) => say`${subjectPart(event, 'A person', names)} ${contactWords[type]!}`,
})

const companyKind = (type: string): EventKind<Signal> => ({
  history: null,
  whyLost,
  sentence: (event, names) => say`${subjectPart(event, 'A company', names)} has a signal: ${typeInWords(type)}`,
})

/** The signals that the provider delivers about people and companies, under the provider's own names. */
export const events = defineEvents<Signal>({
  kinds: {
    ...Object.fromEntries(contactSignals.map((type) => [type, contactKind(type)])),
    ...Object.fromEntries(companySignals.map((type) => [type, companyKind(type)])),
  },
  read,
  recognise: ({ body }) => ({ type: valueAt(body, 'type'), item: body }),
  hooks,
})
