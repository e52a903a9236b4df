import { defineEventTrigger, keySets, z } from '#kit'
import { events, typeInWords } from '../events.ts'
import { companySignals } from '../profiles/lusha-v3-signals.ts'
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

const text = (description: string) => z.string().optional().meta({ description })

const isNews = (type: string) => type.endsWith('News')

const capitalised = (words: string) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`

export default defineEventTrigger(events, {
  id: 'company-signal',
  title: 'Company Signal',
  purpose:
    'Starts when a watched company grows, hires or is in the news, or when its website traffic or IT spend changes.',
  keywords: ['headcount', 'hiring', 'funding', 'news', 'intent', 'website traffic', 'IT spend'],
  icon: 'activity',
  endpoints: ['signal-subscriptions'],
  config: () =>
    keySets(
      z.strictObject({
        companies: watchedIds(
          'companies',
          'Ids of the companies to watch, as Search Companies and Find Company return them.',
        ),
        companyList: watchedListName('companies'),
        signals: signalsField(companySignals),
      }),
      [['companies'], ['companyList']],
      { exactlyOne: true },
    ),
  data: () =>
    z.object({
      signal: z.string().meta({ description: 'What happened: the type of the signal.' }),
      companyId: z.string().meta({ description: 'Id of the company at the provider.' }),
      name: text('Name of the company.'),
      domain: text('Domain of the company.'),
      date: signalDay(),
      news: z
        .object({
          id: text('Id of the news.'),
          kind: text('What kind of event it reports.'),
          summary: text('What happened.'),
          title: text('Title of the article.'),
          highlight: text('A passage of the article.'),
          url: text('Address of the article.'),
          publishedOn: text('Day on which the article was published.'),
          effectiveOn: text('Day on which the event took effect.'),
        })
        .optional()
        .meta({ description: 'For news signals: what the news says.' }),
      credits: signalCredits(),
      details: signalDetails(),
    }),
  fields: {
    signals: { labels: Object.fromEntries(companySignals.map((type) => [type, capitalised(typeInWords(type))])) },
  },
  caveat:
    'The provider allows one subscription for each company in an account, and charges for each signal. Signals from a long outage of this server are not sent again.',
  on: [...companySignals],
  types: selectedTypes(companySignals),
  within: { kind: 'company', field: 'companies', list: { field: 'companyList', columns: idColumns.companies } },
  waits: 'a signal about',
  match: ({ type, subject, details, charge = 0 }) => ({
    signal: type,
    companyId: subject!.id,
    ...textsOf(details, { name: 'companyName', domain: 'domain', date: 'signalDate' }),
    ...(isNews(type)
      ? {
          news: textsOf(details, {
            id: 'signalId',
            kind: 'eventType',
            summary: 'eventSummary',
            title: 'articleTitle',
            highlight: 'articleHighlight',
            url: 'articleUrl',
            publishedOn: 'articlePublishedDate',
            effectiveOn: 'eventEffectiveDate',
          }),
        }
      : {}),
    credits: charge,
    details,
  }),
})
