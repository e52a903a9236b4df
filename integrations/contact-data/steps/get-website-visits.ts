import { companyRecord, defineStep, pageCursor, pageLimit, searchAgentFields, searchOutput, searchPage, z } from '#kit'
import { country, domain } from '../inputs.ts'
import { listOf } from '../seeds.ts'

const day = (title: string, description: string) =>
  z.iso.date({ error: `${title}: give a day such as 2026-03-31.` }).meta({ title, description })
const about = (description: string) => z.number().optional().meta({ description })
const visitFields = {
  visitScore: about('Score of the visits, 0 to 100.'),
  visitBand: z.string().optional().meta({ description: 'Band of the score: cold, warm or hot.' }),
  sessions: about('Sessions in that time.'),
  visitors: about('Different visitors.'),
  daysVisited: about('Days with visits.'),
  minutesPerSession: about('Length of a session in minutes.'),
  highIntentViews: about('Views of pages that buyers look at.'),
  lastVisit: z.string().optional().meta({ description: 'Day of the last visit.' }),
  visitorCountry: z.string().optional().meta({ description: 'Country of most visitors, as a code.' }),
}

export default defineStep({
  id: 'get-website-visits',
  title: 'Get Website Visits',
  group: 'Companies',
  purpose:
    'Lists the companies that visited your own websites in a time of at most 3 months, with how much they did there.',
  keywords: ['website visitors', 'traffic', 'intent', 'who visited our site', 'anonymous visitors'],
  icon: 'activity',
  effect: 'read',
  input: () =>
    z.strictObject({
      domains: z
        .array(domain())
        .min(1)
        .max(50)
        .meta({ title: 'Domains', description: 'Your websites, which the provider has to be tracking.' }),
      firstDay: day('First day', 'First day of the visits.'),
      lastDay: day('Last day', 'Last day of the visits; at most 3 months after the first.'),
      bands: z
        .array(z.enum(['cold', 'warm', 'hot']))
        .min(1)
        .max(3)
        .optional()
        .meta({ title: 'Bands', description: 'Only companies whose visits have these scores.' }),
      countries: listOf(country('Country of the visitors.'), 'Countries', 'Only visitors from these countries.'),
      excludeCountries: listOf(country('Country of the visitors.'), 'Leave out countries', 'No visitors from these.'),
      minSessions: z.int().min(0).optional().meta({ title: 'Sessions at least', description: 'Least sessions.' }),
      minVisitors: z.int().min(0).optional().meta({ title: 'Visitors at least', description: 'Least visitors.' }),
      limit: pageLimit(),
      cursor: pageCursor(),
    }),
  output: () => searchOutput(companyRecord().extend(visitFields)),
  agentFields: [...searchAgentFields('company'), ...Object.keys(visitFields).map((name) => `results.record.${name}`)],
  fields: {
    bands: { labels: { cold: 'Cold', warm: 'Warm', hot: 'Hot' } },
    firstDay: { placeholder: '2026-01-01' },
    lastDay: { placeholder: '2026-03-31' },
    minVisitors: { unit: 'people' },
    limit: { placeholder: '25' },
  },
  endpoints: ['website-visits'],
  run: (ctx, query) => searchPage(ctx, 'website-visits', query),
})
