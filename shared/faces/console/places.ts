/** The pages that the navigation and the command palette lead to. */
import type { Scope } from './api/index.ts'
import type { GlyphName } from './ui/index.ts'

/** `also`: further first parts of the addresses that belong to it. `words`: what else people call it. */
export type Place = {
  path: string
  title: string
  glyph: GlyphName
  also?: string[]
  scope?: Scope
  words?: string
  /** Where it is, for the palette. */
  about?: string
}

export const groups: { title?: string; places: Place[] }[] = [
  { places: [{ path: '', title: 'Overview', glyph: 'overview', words: 'home start attention' }] },
  {
    title: 'Build',
    places: [
      { path: 'steps', title: 'Steps', glyph: 'steps', words: 'tools run' },
      {
        path: 'triggers',
        title: 'Triggers',
        glyph: 'triggers',
        also: ['subscriptions'],
        words: 'subscriptions attach',
      },
      { path: 'agents', title: 'Agents', glyph: 'agents', words: 'secret recipe' },
    ],
  },
  {
    title: 'Watch',
    places: [
      { path: 'events', title: 'Events', glyph: 'events', words: 'deliveries webhooks' },
      { path: 'starts', title: 'Starts', glyph: 'starts', words: 'dead letters replay' },
      { path: 'runs', title: 'Runs', glyph: 'runs', words: 'history' },
      { path: 'jobs', title: 'Jobs', glyph: 'jobs', words: 'csv bulk upload' },
      { path: 'lists', title: 'Lists', glyph: 'lists', words: 'people companies leads refresh stored' },
      { path: 'approvals', title: 'Approvals', glyph: 'approvals', words: 'held waiting rules' },
    ],
  },
  {
    title: 'Account',
    places: [
      { path: 'connections', title: 'Connections', glyph: 'connections', words: 'accounts connect' },
      { path: 'usage', title: 'Usage', glyph: 'usage', words: 'credits money spent budgets' },
      { path: 'people', title: 'People', glyph: 'people', words: 'users' },
      { path: 'programs', title: 'Programs', glyph: 'programs', words: 'grants clients oauth' },
    ],
  },
  {
    title: 'Operate',
    places: [
      { path: 'operator/tokens', title: 'Tokens', glyph: 'tokens', scope: 'admin', words: 'api keys access colleague' },
      {
        path: 'operator',
        title: 'Operator',
        glyph: 'operator',
        scope: 'admin',
        words: 'tenants tokens limits audit keys notifications checks',
      },
    ],
  },
]

/** The page of the navigation that an address below the console's belongs to: the one that names most of it. */
export const placeOf = (address: string): string | undefined => {
  const [first = ''] = address.split('/')
  const places = groups.flatMap((group) => group.places)
  return (
    places.find(({ path }) => path === address) ??
    places.find(({ path, also = [] }) => path === first || also.includes(first))
  )?.path
}

const inOperator = (path: string, title: string, words = ''): Place => ({
  path: `operator/${path}`,
  title,
  glyph: 'operator',
  scope: 'admin',
  about: 'Operator',
  words,
})

/** Every page that has an address of its own, for the palette. */
export const allPlaces: Place[] = [
  ...groups.flatMap(({ places }) => places),
  { path: 'events/paste', title: 'Paste a delivery', glyph: 'events', about: 'Events', words: 'why nothing debug' },
  { path: 'jobs/new', title: 'New job', glyph: 'jobs', about: 'Jobs', words: 'upload csv lookup' },
  { path: 'lists/new', title: 'Store a list', glyph: 'lists', about: 'Lists', words: 'people companies upload' },
  { path: 'starts?state=dead', title: 'Dead letters', glyph: 'starts', about: 'Starts', words: 'failed replay' },
  inOperator('tenants', 'Tenants', 'customers teams'),
  inOperator('policies', 'Limits', 'policies'),
  inOperator('audit', 'Audit trail', 'log who did what'),
  inOperator('keys', 'Keys', 'master encryption'),
  inOperator('notifications', 'Notifications', 'alerts'),
  inOperator('checks', 'Checks', 'doctor health problems'),
]
