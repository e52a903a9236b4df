import type {
  ApiOperation,
  ApiParameter,
  EndpointProfile,
  ErrorRule,
  FieldWireSpec,
  ReplyCondition,
  WireProfile,
} from '#kit'
import { company, person } from '../records.ts'

/**
 * A miss is documented as status 400 and was measured as 500. It differs from a failure in that its text begins with
 * the kind of record that was not found; a gateway's "not found" is about hosts and services.
 */
const misses = (...words: string[]): ReplyCondition[] =>
  [400, 404, 500].flatMap((status) => {
    const of = (path: string) => words.map((begins): ReplyCondition => ({ status, path, begins }))
    return [...of('error'), ...of('message')]
  })

/** A person looked up at the path of companies is not found either, so each endpoint matches only its own words. */
const personWords = ['person profile not found', 'people profile not found', 'person not found', 'people not found']
const companyWords = ['company profile not found', 'company not found']
/** Misses whose text does not say whether a person or a company was not found. */
const eitherMissing = misses('profile not found', 'no profile found', 'no profile was found')

/** A made-up id that belongs to no company. */
const noCompany = 'f000000000000'
/** The provider may refuse an invalid id instead of reporting that nothing was found. */
const refusesId = (...words: string[]): ReplyCondition[] =>
  ['error', 'message'].flatMap((path) =>
    words.map((contains): ReplyCondition => ({ status: [400, 422], path, contains })),
  )

/** Free mail hosts. An address there is a private one, and is sent in another parameter than a work address. */
const mailHosts = (
  'gmail.com googlemail.com outlook.com outlook.com.au hotmail.com hotmail.com.au hotmail.co.nz live.com live.com.au msn.com yahoo.com yahoo.com.au yahoo.co.nz yahoo.co.uk ymail.com rocketmail.com ' +
  'aol.com icloud.com me.com mac.com proton.me protonmail.com pm.me tutanota.com gmx.com gmx.net mail.com zoho.com yandex.com fastmail.com fastmail.com.au ' +
  'bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au internode.on.net dodo.com.au westnet.com.au xtra.co.nz slingshot.co.nz'
).split(' ')

const countries = {
  AU: 'Australia',
  NZ: 'New Zealand',
  SG: 'Singapore',
  MY: 'Malaysia',
  ID: 'Indonesia',
  PH: 'Philippines',
  HK: 'Hong Kong',
  JP: 'Japan',
  VN: 'Vietnam',
  KR: 'South Korea',
  TH: 'Thailand',
  US: 'United States',
  CA: 'Canada',
}
const country = (name: string): FieldWireSpec => ({
  name,
  map: Object.fromEntries(Object.keys(countries).map((code) => [code, code])),
  labels: countries,
})

/** The provider's ids are numbers sent as text; its responses contain the titles. */
const numbered = (...titles: string[]) => ({
  map: Object.fromEntries(titles.map((title, at) => [title.toLowerCase(), String(at + 1)])),
  labels: Object.fromEntries(titles.map((title) => [title.toLowerCase(), title])),
})
const seniority = numbered(
  'Board Member/Company Director',
  'Owner/Founder',
  'C-Suite/Partner',
  'VP/Director/Head of',
  'Manager',
  'Other',
  'No Data',
)
const department = numbered(
  'General Management',
  'Sales',
  'Trades',
  'Operations',
  'Engineering & Technical',
  'Human Resources',
  'Customer Service',
  'Medicine & Healthcare',
  'Research & Analysis',
  'Legal',
  'Marketing',
  'Education & Training',
  'Consulting',
  'Finance',
  'Product',
  'Other',
  'No Data',
)

const enrichPerson = (): EndpointProfile => ({
  method: 'GET',
  path: '/people',
  place: 'query',
  kind: 'person',
  fields: {
    linkedinUrl: 'ln_url',
    linkedinSlug: 'ln_slug',
    email: [{ name: 'personal_email', mailHosts }, { name: 'work_email' }],
    personId: 'id',
  },
  requires: [['personId'], ['linkedinUrl'], ['linkedinSlug'], ['email']],
  identifiers: 'one',
  record: [''],
  noMatch: misses(...personWords),
  noMatchOnceMatched: eitherMissing,
  price: [{ per: 'match', credits: 1 }],
  repeats: 'free',
  probe: { values: { personId: 'fp000000000000' }, credits: 0 },
})

const enrichCompany = (): EndpointProfile => ({
  method: 'GET',
  path: '/company',
  place: 'query',
  kind: 'company',
  fields: {
    domain: 'fqdn',
    linkedin: 'ln_url',
    abn: 'abn',
    website: 'website',
    companyId: 'id',
    country: country('country'),
  },
  requires: [['companyId'], ['abn'], ['domain'], ['linkedin'], ['website']],
  identifiers: 'one',
  record: [''],
  noMatch: misses(...companyWords),
  noMatchOnceMatched: eitherMissing,
  price: [{ per: 'match', credits: 1 }],
  repeats: 'free',
  probe: { values: { companyId: noCompany }, credits: 0 },
})

const searchPeople = (): EndpointProfile => ({
  method: 'POST',
  path: '/people/search',
  place: 'json',
  kind: 'person',
  fields: {
    companyId: 'companyId',
    companyDomain: { name: 'companyId', resolve: { endpoint: 'enrich-company', field: 'domain', take: 'id' } },
    position: 'position',
    seniority: { name: 'seniority', ...seniority },
    department: { name: 'department', ...department },
    country: country('selectedCountry'),
  },
  requires: [['companyId'], ['companyDomain']],
  record: ['records', ''],
  page: {
    style: 'offset',
    place: 'json',
    position: 'from',
    size: 'size',
    asString: true,
    max: 100,
    default: 25,
    total: 'total',
  },
  redirects: 'same-origin',
  price: [],
  probe: { values: { companyId: noCompany }, credits: 0 },
})

const errors = (): ErrorRule[] => [
  {
    path: 'code',
    equals: 'no_credits',
    failure: 'credits_exhausted',
    message: 'The Firmable account has no credits left. Its owner buys more, or waits until the plan renews.',
  },
  { status: [200, 299], path: 'code', equals: 'rate_limited', failure: 'rate_limited' },
  { status: [200, 299], path: 'success', equals: false, failure: 'rejected' },
  { status: 400, failure: 'rejected' },
  {
    status: 401,
    failure: 'not_connected',
    message:
      'Firmable does not know this API key. Copy it again from Profile, Integrations, API, where keys begin with fbl_, and reconnect.',
  },
  {
    status: 402,
    failure: 'credits_exhausted',
    message: 'The Firmable account has no credits left. Its owner buys more, or waits until the plan renews.',
  },
  {
    status: 403,
    failure: 'access_denied',
    message:
      'The Firmable plan does not allow this, or the account is suspended for its load. Its owner asks Firmable.',
  },
  { status: 429, failure: 'rate_limited', message: 'Firmable takes 50 requests a second from one key.' },
]

const inQuery = (names: string): ApiParameter[] =>
  names.split(' ').map((name) => ({ name, in: 'query', type: 'string' }))
const codes = Object.keys(countries)

const operations = (): ApiOperation[] => [
  {
    method: 'GET',
    path: '/company',
    title: 'Find one company',
    parameters: [
      ...inQuery('id ln_slug ln_url fqdn abn website'),
      { name: 'country', in: 'query', type: 'string', choices: codes },
    ],
  },
  {
    method: 'GET',
    path: '/people',
    title: 'Find one person',
    parameters: inQuery('id ln_slug ln_url work_email personal_email'),
  },
  {
    method: 'POST',
    path: '/people/search',
    title: 'Search people of a company',
    effect: 'read',
    effectSource: 'https://docs.firmable.com/api-reference/openapi.json',
    parameters: [
      { name: 'companyId', in: 'body', type: 'string', required: true },
      { name: 'position', in: 'body', type: 'string' },
      { name: 'seniority', in: 'body', type: 'string', choices: Object.values(seniority.map) },
      { name: 'department', in: 'body', type: 'string', choices: Object.values(department.map) },
      { name: 'selectedCountry', in: 'body', type: 'string', choices: codes },
      { name: 'from', in: 'body', type: 'string' },
      { name: 'size', in: 'body', type: 'string' },
    ],
  },
]

/** The wire profile of Firmable's public API. */
export const firmable = (): WireProfile => ({
  profile: 'firmable',
  baseUrl: 'https://api.firmable.com',
  auth: { 'api-key': { place: 'header', fields: { Authorization: 'Bearer {apiKey}' } } },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: {
    limits: [{ per: 'connection', max: 50, windowMs: 1000 }],
    concurrency: 4,
    waitTexts: ['Retry in {seconds}s', 'Retry in {seconds} s'],
  },
  timeouts: { connectMs: 5_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 45_000, deadlineMs: 120_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: errors(),
  errorDetails: { message: ['message', 'error'] },
  endpoints: { 'enrich-person': enrichPerson(), 'enrich-company': enrichCompany(), 'search-people': searchPeople() },
  test: { endpoint: 'search-people', values: { companyId: noCompany } },
  validKey: [
    { status: 402 },
    { path: 'code', equals: 'no_credits' },
    ...misses(...personWords, ...companyWords),
    ...refusesId('companyId', 'company id', noCompany),
  ],
  operations: operations(),
  records: {
    person: {
      ...person,
      companyIndustry: ['current_company.industry'],
      location: ['location'],
      linkedinUrl: ['linkedin', 'social_media.linkedin'],
    },
    company,
  },
  assumed: {
    'pace.concurrency': 'Not documented; 4 at once stay below 50 a second.',
    'pace.waitTexts': 'Seen in refusals of another API of this provider.',
    timeouts: 'Not documented.',
    maxReplyBytes: 'Not documented.',
    errors:
      'The bodies of 401, 402 and 429 were not seen. That refusals may have status 200 and a code was seen in another API of this provider.',
    'endpoints.enrich-person.noMatch':
      'Documented as 400, observed as 500 with "Company profile not found"; other texts are guesses.',
    'endpoints.enrich-company.noMatch': 'As for people.',
    'endpoints.enrich-person.noMatchOnceMatched':
      'A text that says only that a profile is missing may come from the endpoint for companies, or for people.',
    'endpoints.enrich-company.noMatchOnceMatched': 'As for people.',
    'endpoints.enrich-person.price':
      'Observed by third parties: 1 credit for a match, nothing for no match or for a record that the account already has. No answer says what was charged.',
    'endpoints.enrich-company.price': 'As for people.',
    'endpoints.enrich-person.fields.email': 'A list of common hosts decides which addresses are private.',
    'endpoints.search-people.fields.position': 'How the text of the position is compared is not documented.',
    'endpoints.search-people.page.max': 'The largest page is not documented; at most 100 results are requested.',
    'endpoints.search-people.price':
      'Observed by third parties: a search is free. A company given by its domain is looked up first, for 1 credit.',
    test: 'A search is taken to be free; this one is for a company that does not exist, and so finds nobody.',
    validKey: 'That the key is checked before the id, so that a refusal of the id proves the key, is a guess.',
    'steps.people-search':
      'An employer is named by its id or web domain, not by its name: the provider does not look up companies by name. Its API has no filters for regions or company sizes, and excludes nothing.',
  },
})
