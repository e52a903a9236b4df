import type { EndpointProfile, FieldWire } from '#kit'
import { companySignalTypes, contactSignalTypes } from '../signal-types.ts'
import { many, single } from './lusha-v3-lookups.ts'
import { billed } from './lusha-v3-prices.ts'

/** Kinds of signals of version 3, by the provider's names. */
export const contactSignals = Object.keys(contactSignalTypes)
export const companySignals = Object.keys(companySignalTypes)

/** New signals happen while a result is stored, so after an hour they are requested, and paid for, again. */
export const signalsFreshMs = 3_600_000

const signals = (
  what: 'contacts' | 'companies',
  kind: 'person' | 'company',
  more: { [ours: string]: FieldWire },
): EndpointProfile => {
  const path = `/v3/${what}/signals`
  const idField = kind === 'person' ? 'personId' : 'companyId'
  const beside: { [ours: string]: FieldWire } = {
    types: { name: 'signalTypes', as: 'list' },
    since: 'startDate',
    most: 'maxResultsPerSignal',
    ...more,
  }
  return {
    method: 'POST',
    path,
    place: 'json',
    kind,
    aliases: kind === 'person' ? 'contactSignals' : 'companySignals',
    fields: { [idField]: { name: 'ids', as: 'list' }, ...beside },
    requires: [[idField, 'types']],
    ...single(),
    price: [{ per: 'match', credits: 1, each: 'types' }],
    credits: billed,
    freshMs: signalsFreshMs,
    probe: { values: { [idField]: '0', types: ['promotion'] }, credits: 0 },
    bulk: {
      ...many,
      path,
      envelope: 'ids',
      items: 'value',
      fields: { [idField]: 'id', ...beside },
      beside: Object.keys(beside),
      answerId: 'id',
      itemNoMatch: [...many.itemNoMatch, { path: '', is: 'absent' }],
    },
  }
}

export const signalsOfContacts = (): EndpointProfile => signals('contacts', 'person', {})
export const signalsOfCompanies = (): EndpointProfile => ({
  ...signals('companies', 'company', { categories: { name: 'filters.include.intentCategories', as: 'list' } }),
  probe: { values: { companyId: '0', types: ['surgeInHiring'] }, credits: 0 },
})

export const signalsAssumed = {
  'endpoints.contact-signals.price':
    'Each kind of signal that a record has is charged. The amount is not documented; an example was charged 1 credit. Whether two signals of one kind are charged twice is not documented either; the charge that the answer reports counts.',
  'endpoints.company-signals.price': 'As for contacts.',
  'endpoints.contact-signals.record': 'A record that is missing from an answer is read as no match.',
  'endpoints.company-signals.record': 'As for contacts.',
  'endpoints.contact-signals.probe': 'That an unknown id costs nothing is a guess.',
  'endpoints.company-signals.probe': 'As for contacts.',
}
