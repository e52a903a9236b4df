import { defineEventTrigger, keySets, valueAt, z } from '#kit'
import { events } from '../events.ts'
import { contactSignals } from '../profiles/lusha-v3-signals.ts'
import { textsOf } from '../signal-texts.ts'
import {
  signalCredits,
  signalDay,
  signalDetails,
  signalsField,
  selectedTypes,
  watchedIds,
  watchedListName,
  idColumns,
} from '../watch-fields.ts'

const employer = (description: string) =>
  z
    .object({
      id: z.string().optional().meta({ description: 'Id of the company at the provider.' }),
      name: z.string().optional().meta({ description: 'Its name.' }),
      domain: z.string().optional().meta({ description: 'Its domain.' }),
    })
    .optional()
    .meta({ description })

export default defineEventTrigger(events, {
  id: 'contact-signal',
  title: 'Contact Signal',
  purpose: 'Starts when a watched person is promoted or moves to another company.',
  keywords: ['job change', 'promotion', 'new job', 'intent', 'champion'],
  icon: 'activity',
  endpoints: ['signal-subscriptions'],
  config: () =>
    keySets(
      z.strictObject({
        people: watchedIds('people', 'Ids of the people to watch, as Search Contacts and Find Contact return them.'),
        peopleList: watchedListName('people'),
        signals: signalsField(contactSignals),
      }),
      [['people'], ['peopleList']],
      { exactlyOne: true },
    ),
  data: () =>
    z.object({
      signal: z.string().meta({ description: 'What happened: promotion or companyChange.' }),
      personId: z.string().meta({ description: 'Id of the person at the provider.' }),
      date: signalDay(),
      jobTitle: z.string().optional().meta({ description: 'The present job title.' }),
      departments: z.array(z.string()).meta({ description: 'The present departments.' }),
      company: employer('Where the person works now.'),
      previousCompany: employer('Where the person worked before.'),
      credits: signalCredits(),
      details: signalDetails(),
    }),
  fields: {
    signals: { labels: { promotion: 'Promotion', companyChange: 'Move to another company' } },
  },
  caveat:
    'The provider allows one subscription for each person in an account, and charges for each signal. Signals from a long outage of this server are not sent again.',
  on: [...contactSignals],
  types: selectedTypes(contactSignals),
  within: { kind: 'person', field: 'people', list: { field: 'peopleList', columns: idColumns.people } },
  waits: 'a signal about',
  match({ type, subject, details, charge = 0 }) {
    const departments = valueAt(details, 'currentDepartments')
    return {
      signal: type,
      personId: subject!.id,
      ...textsOf(details, { date: 'signalDate', jobTitle: 'currentTitle' }),
      departments: (Array.isArray(departments) ? departments : [])
        .map((entry) => valueAt(entry, 'value'))
        .filter((value) => typeof value === 'string'),
      company: textsOf(details, { id: 'currentCompanyId', name: 'currentCompanyName', domain: 'currentDomain' }),
      previousCompany: textsOf(details, { name: 'previousCompanyName', domain: 'previousDomain' }),
      credits: charge,
      details,
    }
  },
})
