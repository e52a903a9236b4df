import { defineStep, manyAgentFields, personRecord, z } from '#kit'
import { revealOutput } from '../enrich.ts'
import { contactSignalTypes } from '../signal-types.ts'
import { ids, readSignals, signalFields, signalInput } from '../signals.ts'

const types = Object.keys(contactSignalTypes) as [keyof typeof contactSignalTypes]

export default defineStep({
  id: 'get-contact-signals',
  title: 'Get Contact Signals',
  group: 'Contacts',
  purpose:
    'Shows whether people were promoted or changed their employer; takes their ids. The provider charges each kind of signal that a person has.',
  keywords: ['job change', 'promotion', 'new job', 'career move', 'signals'],
  icon: 'activity',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [0, 2] },
  input: () =>
    z.strictObject({ personIds: ids('Person ids', 'Ids of people that a search found.'), ...signalInput(types) }),
  output: () => revealOutput(personRecord().extend(signalFields())),
  agentFields: [...manyAgentFields('person', ['personId']), 'results.record.signals'],
  fields: {
    types: { labels: contactSignalTypes },
    since: { placeholder: '2026-01-01' },
    most: { placeholder: '10' },
  },
  endpoints: ['contact-signals'],
  run: (ctx, { personIds, ...query }) =>
    readSignals('personId', personIds, query, (records, beside) => ctx.lookupMany('contact-signals', records, beside)),
})
